"""The contract's messages from values of the domain and back."""
