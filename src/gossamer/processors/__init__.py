"""Processors: a decoded document in, links and facts out. One family of types a module; pure, no network, no store."""
