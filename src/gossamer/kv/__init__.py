"""Ordered key-value stores under dedupe, robots and DNS. Keys and values are bytes; each user has places of its own."""
