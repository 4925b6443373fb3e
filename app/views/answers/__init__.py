"""What the API and the command line print: records with fixed names, and how they are made."""
