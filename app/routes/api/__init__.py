"""The HTTP API, version 1: one endpoint per boundary, strict bodies, problem documents.

Every write takes an `Idempotency-Key`. Acts on meaning carry what the person saw. Reads are tagged by the head.
"""
