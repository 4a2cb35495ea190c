"""Where series are played."""
