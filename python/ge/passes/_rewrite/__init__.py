"""Rewriting: rules, the classes of patterns and of single nodes, and what stands in for a match."""
