"""The server: what a price is asked and answered with over gRPC, and everything around it."""
