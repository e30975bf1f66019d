"""What the server tells of its own work: the table of its metrics, what is timed, traces."""
