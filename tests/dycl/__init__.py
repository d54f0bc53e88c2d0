"""Tests of `dycl/`: capture, backends, command line, verification."""
