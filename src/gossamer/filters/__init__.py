"""Filters: is a URL part of this crawl? Pure, and every verdict names the rule that gave it."""
