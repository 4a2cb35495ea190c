"""The match protocol: generated messages, and their codec."""
