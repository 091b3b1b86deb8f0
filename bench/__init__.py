"""Benchmarks: figures, never assertions about time. `make bench`; one file a benchmark."""
