"""Random dynamic tensor programs, compared with eager PyTorch: ``python -m tests.fuzz.run``.

``program.py`` writes a program as Python source, from expressions (``tensors.py``,
``scalars.py``, ``conditions.py``) and statements (``assigning.py``, ``branching.py``,
``looping.py``, ``storing.py``, ``leaving.py``, ``defining.py``); ``author.py`` holds what the
rules share. ``judge.py`` runs a program in eager, rewritten and as a host package;
``shrinking.py`` makes a failing program small.
"""
