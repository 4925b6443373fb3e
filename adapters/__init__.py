"""Everything that can fail, wait or differ between machines; one folder per outside thing."""
