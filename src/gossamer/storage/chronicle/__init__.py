"""The chronicle in files: JSON lines in blocks, blocks in a chain, segments that are compressed when they are full."""
