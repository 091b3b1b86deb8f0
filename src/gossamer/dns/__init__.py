"""Names to addresses: asked once, remembered for as long as the answer is good, and never trusted to be public."""
