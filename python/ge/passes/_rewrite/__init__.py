"""Rewriting: rules, the pass classes for patterns and for single nodes, and replacements."""
