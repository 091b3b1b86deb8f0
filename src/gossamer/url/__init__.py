"""URLs: the wire form that is requested, the key that is deduplicated, the host that is treated politely.

Lossy rules touch the key only; the wire form is what the WHATWG standard makes of the text that a page wrote.
"""
