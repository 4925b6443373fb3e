"""Our own lint: one rule a module, whose docstring tells the danger, the cure and the skip code.

A line that must break a rule carries `lint: allow <rule> - <reason>` in a comment. A skip that allows nothing
is itself a finding, so none outlives its cause. `python -m tests.lint` runs every rule over the tree.
"""
