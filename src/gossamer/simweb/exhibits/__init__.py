"""The special cases of the synthetic web, each a small function that adds resources to a host.

An exhibit gets the builder, the host it stands on and another host to point to. What it adds is linked from exactly where it
says, never by chance, so that each special case has one known truth.
"""
