"""The frontier: every known URL in exactly one state, every host's next turn, and the only place where politeness is enforced.

One contract (`joints.frontier.Frontier`), one backend a room: `reference/` in memory, `embedded/` on disk (`layout/`). What
each of them keeps true:

1. Every key ever accepted is waiting, leased, done, dead or removed, and in one of these only.
2. Between two requests to a host there is at least its delay, and never more than its connections at once, over all workers,
   crashes and restarts. A lease moves the host's clock; after a restart every host waits one delay, whatever its clock was.
3. What `discover` or `settle` acknowledged, a kill -9 keeps.
4. A key is leased to one owner at a time. Tokens grow and are never used twice; a lease that ran out comes back once, and its
   late settlement changes nothing.
5. Classes are picked by their shares, hosts in the order in which they became ready: every host with due work gets a turn.
6. Where the order is opic, the credit of all pages and of lambda is what the seeds brought, to the unit; it moves once a lease.

Time is always an argument, and must not run backwards between two openings.
"""
