"""Random dynamic tensor programs, compared with eager PyTorch: ``python -m tests.fuzz.run``.

``program.py`` writes a program as Python source: expressions from the templates of
``grammar.py``, statements from the rules listed in ``statements.py``; ``author.py`` holds what
the rules share, ``kinds.py`` what is known of the values. ``judge.py`` runs a program in
eager, rewritten and as a host package; ``shrinking.py`` makes a failing program small.
"""
