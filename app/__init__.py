"""The shell: HTTP and command lines in, effects out.

A service loads the state, lets the kernel decide and check, and appends. `app.bootstrap` is the only module
that names an adapter.
"""
