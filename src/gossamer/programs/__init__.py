"""Crawls as Python values, for programs with an event loop and without; `script.py` is where programs import them from."""
