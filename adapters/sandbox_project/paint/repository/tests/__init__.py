"""The tests of the paint planner."""
