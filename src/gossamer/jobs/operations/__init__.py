"""What can be asked of a crawl or done to it, running or not, by what it is about. `jobs/operate.py` has the table.

Each operation is a function of the open stores and of plain JSON values, and answers with such. None holds the loop of a
running crawl for long: what takes time is done in slices (`joints/slices.py`) or on a thread, and every list comes in pages.
"""
