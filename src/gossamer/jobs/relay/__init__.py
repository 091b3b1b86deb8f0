"""Hand the events of a crawl to its sinks: beside it or after it, each from where it was."""
