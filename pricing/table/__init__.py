"""One table's life, pure: events, state, what an event may do and what it does. No clock, no chance, no prices."""
