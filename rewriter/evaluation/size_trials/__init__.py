"""Operations on tensors whose sizes are known only at run time: what holds at every size.

An operation is run with symbols for sizes, under every answer to the comparisons that it
asks and nobody can answer (``symbolic.py``); then again at small numbers, 0 and 1 among them
(``probes.py``). What comes out must agree (``agreement.py``). Where it does not, or where eager
raises at some sizes, the path is split by a test that the host makes (``explanations.py``);
where no test explains it, the program is refused. Start reading at ``judging.py``. Operations that
are alike (``likeness.py``) are judged once (``remembering.py``).
"""
