"""The contract in Python, one package for each of its versions."""
