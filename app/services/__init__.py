"""Use cases: load, decide, admit, append. One module per boundary; none of them knows HTTP or an adapter."""
