"""Git: the hardened command, run folders, sealing and verifying candidates.

`repositories.GitRepositories` keeps the port; `command.run_git` is the only way to the command line.
"""
