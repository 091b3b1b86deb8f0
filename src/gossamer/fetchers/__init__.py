"""Fetchers: one protocol a module; a request out, exact bytes back. They follow no redirect and keep no cookie."""
