"""The one part that may be root: it starts, freezes and ends seats, and reads no byte of a bot.

``launch`` is main's side, ``client`` the worker's, ``server`` the process between them.
"""
