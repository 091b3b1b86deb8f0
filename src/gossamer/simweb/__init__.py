"""simweb: a synthetic web for the demonstration, the tests and the benchmarks, grown from a seed number.

It is a witness, so it imports nothing of the crawler: its request ledger says what was really asked for, its manifest says
what a correct crawler asks for, and both come from the web alone.

    settings -> builder -> exhibits -> web -> answers -> server -> ledger
                                          \\-> manifest

The same settings and the same port make the same web, byte for byte. Every host name ends in `.sim` and lives on loopback.
"""
