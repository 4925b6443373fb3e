"""The labelled placement set: three worlds, what people said about them, and where each saying belongs."""
