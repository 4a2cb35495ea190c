"""Seats: processes of strangers, locked up as well as the host allows."""
