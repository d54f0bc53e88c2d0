"""The differential corpus: small programs, run in eager, rewritten, and as a host package.

``programs/`` holds the programs by topic, ``harness.py`` the registry, ``ways.py`` the
three ways to run one, ``run.py`` the command line (``python -m tests.language.run``).
"""
