"""The host package: what a user deploys, written as a directory.

In: an ``Hcfg``, the artifacts of its sub-DNNs, the text of a backend's loader. Out: a
directory with a readable ``__init__.py`` that needs no PyTorch, and a manifest.

Start reading at ``package.py`` (what is written and how), then ``forward_text.py`` (how the
graph becomes Python) and ``embedded/`` (modules copied into every package; they import
neither dycl nor torch).
"""
