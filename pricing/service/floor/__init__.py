"""Tables at work: each event written down, then told."""
