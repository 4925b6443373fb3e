"""Confined execution: the bubblewrap sandbox and the validator whose expected answers never enter it.

Owns process isolation and host-compared evidence. Sealing, signing and the ledger are elsewhere.
"""
