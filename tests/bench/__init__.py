"""Measurements. ``python -m tests.bench`` prints them; nothing here is a test."""
