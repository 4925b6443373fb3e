"""Bundles: one ledger in one file, which anybody can verify without this product's database, server or keys.

`form` is the file's form, `writing` makes it, `examining` reads and tests it, `trust` compares it with what a
reader knows already; `proofs` does the same for the proof of a single node. Imports the kernel and `cryptography` alone: `python -m adapters.bundles FILE` is the
stand-alone verifier.
"""

from adapters.bundles.examining import Examination, events_of, examine
from adapters.bundles.form import BundleHead, BundleKey
from adapters.bundles.proofs import judge_proof, read_proof
from adapters.bundles.trust import Trust, Verdict, Verdicts, judge, read_trust, trust_bytes
from adapters.bundles.writing import write_atomically, write_bundle

__all__ = [
    "BundleHead",
    "BundleKey",
    "Examination",
    "Trust",
    "Verdict",
    "Verdicts",
    "events_of",
    "examine",
    "judge",
    "judge_proof",
    "read_proof",
    "read_trust",
    "trust_bytes",
    "write_atomically",
    "write_bundle",
]
