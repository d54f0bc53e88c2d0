"""The command line. One file per command; start reading at ``main``.

Command files import nothing heavy before their command runs: ``dycl --help`` answers at once,
and ``dycl run`` works where PyTorch is not installed.
"""
