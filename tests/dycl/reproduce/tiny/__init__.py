"""A catalog for these tests; a package, so that its file has a name of its own."""
