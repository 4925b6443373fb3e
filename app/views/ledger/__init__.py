"""The Ledger: events in words, the head, and its proofs."""
