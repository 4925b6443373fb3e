"""Managers answer where a captured text fits; they propose and never decide."""
