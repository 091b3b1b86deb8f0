"""Leading a run: who visits what and when, in one process (`pool.py`) or with several workers (`node.py`), until it is over."""
