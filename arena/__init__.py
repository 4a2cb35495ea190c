"""The arena: sandboxed tournaments for dominoes bots."""
