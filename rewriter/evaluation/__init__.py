"""The partial evaluator: an interpreter of Python over binding-time values.

Every evaluation function yields the ways in which evaluation can go on: pairs of a state
and a value. Straight code yields one; a test of a run-time value yields one per outcome.
A path on which the program raises yields nothing: it is recorded (``Run.raise_``) and
becomes a completion of the statement. Start reading at ``control/statements.py``.

The rules of this folder are what all others need: the run and its frames, names, assignment,
rendering of values as residual expressions. Each folder below has one kind of rule and says
which in its docstring; ``rules.py`` imports all that register themselves.
"""
