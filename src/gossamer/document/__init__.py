"""Documents: a spooled body, its content coding, and the type we act on."""
