"""Configuration: every knob one typed line with its help; TOML, then environment, then flags."""
