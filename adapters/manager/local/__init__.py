"""The manager that needs nothing but the project's own words; see `manager` for what it does and `ranking` for how."""

from adapters.manager.local.index import NodeIndex
from adapters.manager.local.manager import NAME, LocalManager

__all__ = ["NAME", "LocalManager", "NodeIndex"]
