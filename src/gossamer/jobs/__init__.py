"""Jobs: what a door can ask for, one file a verb. A door never touches a hand; it asks a job.

A crawl is a directory (`directory.py`). One process at a time holds its lock; a second one asks the first over a socket in
that directory (`control.py`), with the same words (`operate.py`).
"""
