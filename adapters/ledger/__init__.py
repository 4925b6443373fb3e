"""The ledger and the directory of people: the only SQL of this product.

`SqlLedger` and `MemoryLedger` keep one contract; `migrate` brings a database to this version's schema.
"""

from adapters.ledger.credentials import PasswordsAndIdentities
from adapters.ledger.database import Database
from adapters.ledger.engines import database_exists, open_store
from adapters.ledger.erasure import Eraser
from adapters.ledger.flows import Flows
from adapters.ledger.master import MasterFile
from adapters.ledger.memory import MemoryLedger
from adapters.ledger.migrate import migrate, schema_problems
from adapters.ledger.people import Directory
from adapters.ledger.restoring import restore_backup
from adapters.ledger.sql import SqlLedger
from adapters.ledger.store import Store
from adapters.ledger.tombstones import Tombstones
from adapters.ledger.vault import MasterKey, Vault

__all__ = [
    "Database",
    "Directory",
    "Eraser",
    "Flows",
    "MasterFile",
    "MasterKey",
    "MemoryLedger",
    "PasswordsAndIdentities",
    "SqlLedger",
    "Store",
    "Tombstones",
    "Vault",
    "database_exists",
    "migrate",
    "open_store",
    "restore_backup",
    "schema_problems",
]
