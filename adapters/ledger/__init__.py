"""The ledger and the directory of people: the only SQL of this product.

`SqlLedger` and `MemoryLedger` keep one contract; `migrate` brings a database to this version's schema.
"""

from adapters.ledger.erasure import Eraser
from adapters.ledger.master import MasterFile
from adapters.ledger.memory import MemoryLedger
from adapters.ledger.migrate import migrate, schema_problems
from adapters.ledger.people import Directory
from adapters.ledger.sql import SqlLedger
from adapters.ledger.store import Store
from adapters.ledger.tombstones import Tombstones
from adapters.ledger.vault import MasterKey, Vault

__all__ = [
    "Directory",
    "Eraser",
    "MasterFile",
    "MasterKey",
    "MemoryLedger",
    "SqlLedger",
    "Store",
    "Tombstones",
    "Vault",
    "migrate",
    "schema_problems",
]
