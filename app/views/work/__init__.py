"""The Work room: threads of delegated work, their stages, and the brief."""
