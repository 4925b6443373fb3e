"""What services need of the outside, as protocols. They speak kernel types only; adapters fit by shape.

Errors a service may catch are declared in `kernel/errors.py`.
"""

from app.ports.delegation import HeldUid, Promoter, Repositories, Runtime, Sandbox, UidPool, Validator
from app.ports.keys import CheckpointKeeper, Keys, PublicKey, RunAuthority, Sealer, ValidatorKey
from app.ports.ledger import BackupWriter, BundleReader, BundleWriter, Eraser, Ledger, WrittenBundle
from app.ports.machine import Clock, Entropy, GraphLayout
from app.ports.people import Credentials, Directory, Provider, SignInFlows
from app.ports.placing import AnswerReader, Call, Manager, OutlineReader, Shelf

__all__ = [
    "AnswerReader",
    "BackupWriter",
    "BundleReader",
    "BundleWriter",
    "Call",
    "CheckpointKeeper",
    "Clock",
    "Credentials",
    "Directory",
    "Entropy",
    "Eraser",
    "GraphLayout",
    "HeldUid",
    "Keys",
    "Ledger",
    "Manager",
    "OutlineReader",
    "Promoter",
    "Provider",
    "PublicKey",
    "Repositories",
    "RunAuthority",
    "Runtime",
    "Sandbox",
    "Sealer",
    "Shelf",
    "SignInFlows",
    "UidPool",
    "Validator",
    "ValidatorKey",
    "WrittenBundle",
]
