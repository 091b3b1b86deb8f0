"""What travels between the floors: small frozen records, and the closed list of outcomes.

A record holds facts, never a connection, a lock or a callback, so that it can be kept, compared, sent over a socket and
printed; a `Request`, to which none of this happens, has its turn. Times are Unix seconds, durations seconds, sizes bytes. A
higher score is sooner.
"""
