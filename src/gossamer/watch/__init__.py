"""What is noticed while a crawl runs: events, what was spent, whether we keep our pace, whether the loop stands still."""
