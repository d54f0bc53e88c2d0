"""A whole program as one ONNX file, or regions of it: decisions become ``If`` and ``Loop``.

Comes in: a finished graph (``Hcfg``) and its captured sub-DNNs. Goes out: ``model.onnx``, which
any ONNX runtime runs without Python, or the reasons why the program needs a host; then a file per
region, and the graph of the host that calls them (``mixed.py``).

Start reading at ``lowering.py`` (nodes of the graph in their order), then ``flows.py`` (how paths
part and meet), ``expressions.py`` and ``numbers.py`` (numbers of the host as ONNX scalars, and
why they are Python's), ``compiling.py`` (the order of things).
"""
