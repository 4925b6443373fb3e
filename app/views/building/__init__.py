"""Builders: from state to the typed model of a page; each reads projections and decides nothing."""
