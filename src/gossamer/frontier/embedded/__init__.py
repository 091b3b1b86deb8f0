"""The default frontier: what a call changes in memory, and gathers to be written as one batch."""
