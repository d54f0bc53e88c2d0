"""Functions of the standard library, written in Python so that they can be evaluated.

``itertools``, ``functools`` and ``operator`` are written in C: there is no source to inline. Where
they are given tensors, run-time numbers or functions of the program,
``evaluation/calls/preluding.py`` calls the function of the same name from here, which the evaluator
inlines like the user's own.
Code in this package is never shown to the user: what is refused in it is refused at the call.
"""
