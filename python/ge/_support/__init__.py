"""Private helpers that every floor of this package may use and that use no other floor."""
