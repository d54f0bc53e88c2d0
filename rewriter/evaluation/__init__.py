"""The partial evaluator: an interpreter of Python over binding-time values.

Every evaluation function yields the ways in which evaluation can go on: pairs of a state
and a value. Straight code yields one; a test of a run-time value yields one per outcome.
A path on which the program raises yields nothing: it is recorded (``Run.raise_``) and
becomes a completion of the statement. Start reading at ``statements.py``.
"""
