"""What the installation is told: settings from the environment, and the strict configuration file."""
