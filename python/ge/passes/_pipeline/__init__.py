"""Pipelines: the manager and its results, contexts, the registry, stages, plugins, and the bases of passes."""
