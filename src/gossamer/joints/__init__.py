"""The joints: where a part can be swapped, one file a joint.

Each joint has a checker in `gossamer.testing` that any implementation must pass, ours and a plugin's alike. What the web does
comes back as an `Outcome` inside a record; only what `gossamer.errors` names is raised. `assemble` opens every hand, `aclose`
closes it. A store elsewhere that cannot be reached now raises `StoreAway`; a crawl asks the same again until it is back, so
what is asked twice must happen once. A worker in a process of its own reaches half joints (`Leasing`, `Advice`, `Claims`,
`Teaching`) over a socket.
"""
