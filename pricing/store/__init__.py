"""The journal: what was asked of each table and what came of it, durable before anybody hears of it.

The store knows rows, not events: texts go in and the same texts come out. :mod:`pricing.store.journal` says what a
journal does, :mod:`pricing.store.sqlite` is the one that needs nothing but a folder.
"""
