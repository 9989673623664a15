"""Private: what every floor of this package may use, and what needs no other floor."""
