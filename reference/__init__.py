"""The reference of the documentation, written from the code when the site is built: `make docs`. Nothing of it is committed.

A page in `docs/reference` has a line `<!-- written: settings -->`; `PARTS` says which function writes what stands there then.
"""
