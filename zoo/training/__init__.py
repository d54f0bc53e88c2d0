"""Scripts that make the files in `zoo/weights`; each is run as `python -m zoo.training.NAME`."""
