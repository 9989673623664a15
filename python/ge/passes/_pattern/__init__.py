"""Patterns: functions traced into graphs, predicates, captured tensors. The lowest room of `ge.passes`."""
