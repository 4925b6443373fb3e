"""Read models: pure answers to the questions that pages ask of a state. Nothing here decides or changes anything."""
