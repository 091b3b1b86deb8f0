"""The joints over a local socket, for several processes on one machine: a node that keeps, workers that fetch and read.

`wire.py` is what travels, `client.py` the worker's end, `server.py` the node's, `process.py` how a worker begins and ends. A
worker holds no state: whatever it has not committed is done again by another when it dies.
"""
