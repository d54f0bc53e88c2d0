"""The heterogeneous control-flow graph (HCFG): a rewritten program as sub-DNNs and host code.

Comes in: ``rewriter.program.RewrittenProgram``. Goes out: ``Hcfg``, improved by the passes
in ``hcfg/passes``, and tables about it (liveness, recordings, sharing).

Start reading at ``graph.py`` (the data), then ``build.py`` (where sub-DNNs are cut out),
``passes/__init__.py`` (the order of passes and why). ``interpret.py`` runs a graph with
PyTorch and says what a graph means; ``dump.py`` and ``draw/`` show one.
"""
