"""simweb: a synthetic web for the demonstration, the tests and the benchmarks, grown from a seed number.

It is a witness, so it imports nothing of the crawler: its request ledger says what was really asked for, its manifest says
what a correct crawler asks for, and both come from the web alone.

    settings -> builder -> exhibits -> web -> answers -> server -> ledger
                                          \\-> manifest

Beside it stand three zoos, each with a server of its own and its lines in the same ledger and manifest: `attacks`, hosts that
mean harm; `mazes`, sites that never end or say everything twice, with honest giants among them; and `living`, hosts whose pages
change on clocks of their own.

The same settings and the same port make the same web, byte for byte; a living one at the same time. Every host name
ends in `.sim` and lives on loopback.
"""
