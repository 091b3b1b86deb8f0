"""Reading documents: the light ones at once, the heavy ones in child processes that can be killed."""
