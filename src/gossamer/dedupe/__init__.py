"""Sameness of content: which page had it first, exactly or nearly."""
