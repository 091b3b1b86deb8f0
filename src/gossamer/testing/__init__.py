"""The checker of every joint and a few fakes, shipped for us and for authors of plugins.

A checker is a module named after its joint: `RULES` are async functions named like promises, each takes a way to open a
fresh implementation and raises AssertionError when the promise is broken.
"""
