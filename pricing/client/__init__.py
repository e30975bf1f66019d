"""A client of the service in Python."""
