"""Readers of operators: functions of a script that find items on pages. Their code runs in children only, never in a crawl."""
