"""Simulate: policies on a virtual clock and a generated web, compared side by side with the same budget of requests.

The same plan gives the same web, the same visits and the same log, byte for byte. Policies see only what a crawler would see.
"""
