"""Leaf calls: library operations on tensors, tried on fake tensors and left in the residual.

``operation.py`` says what an operation is; ``evaluation.py`` evaluates one: start reading there.
"""
