"""The server as a process: what it listens on, how it starts and how it ends."""
