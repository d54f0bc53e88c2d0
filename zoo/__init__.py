"""Example models with input-dependent control flow, written as research code is written.

One file per paper; each offers `build_model()`, `example_inputs()` and
`sample_inputs(count, seed)`, so that `dycl compile zoo/skipnet.py` needs nothing else.
Nothing in dycl imports this package. Start reading at `skipnet.py`.
"""
