"""The manager for tests and demonstrations: it knows prepared answers to prepared texts, and nothing else."""

from adapters.manager.scripted.script import ScriptedManager, read_script

__all__ = ["ScriptedManager", "read_script"]
