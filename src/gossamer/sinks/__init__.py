"""Hand events to consumers, one file a kind; what each of them promises is `joints/sink.py`."""
