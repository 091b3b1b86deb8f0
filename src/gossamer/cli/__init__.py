"""The command line: one file a command. Heavy imports stand inside the functions, so that `--help` is quick.

`output.py` is the only module that prints. A command turns words into a job and a job's answer into words, nothing more.
"""
