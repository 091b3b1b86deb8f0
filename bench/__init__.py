"""Benchmarks: figures, never assertions about time. `make bench`."""
