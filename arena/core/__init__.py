"""Pure values and functions: no clock, no files, no network, no processes."""
