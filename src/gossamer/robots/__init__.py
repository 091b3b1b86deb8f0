"""robots.txt by RFC 9309: the file's rules, and a durable cache of every origin's answer. Sends nothing itself."""
