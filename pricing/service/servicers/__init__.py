"""The services of the contract: unpack, do, pack."""
