"""The views of a worldstate: Outline, Map, Timeline, Focus and what differs between revisions."""
