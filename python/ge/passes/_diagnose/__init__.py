"""Diagnosis: why a pass does not match, how often it should, whether its rewrites are right, and which is wrong."""
