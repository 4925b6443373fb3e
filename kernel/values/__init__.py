"""Frozen values shared by commands, events, state and ports.

One module per subject; nothing here decides anything. Values that can stand in an event are strict, frozen
pydantic models (`Recorded`); values that only travel between rooms are frozen dataclasses.
"""
