"""What runs around every call: who it is from, whether it is taken, what it fails with, what is logged."""
