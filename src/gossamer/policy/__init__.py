"""Policies: one decision a module, each a pure function of its arguments and `now`."""
