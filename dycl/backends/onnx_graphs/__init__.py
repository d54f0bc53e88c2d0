"""ONNX graphs of sub-DNNs, for every backend that reads ONNX.

``exporting.py`` and ``splitting.py`` make graphs without weights (skeletons), ``skeletons.py``
finds them in the cache, ``weights.py`` puts each sub-DNN's own weights in, ``writing.py``
writes the files. ``translations`` has the operators that PyTorch's exporter gets wrong.
"""
