"""Readers of historical shoes in the notations of the trade."""
