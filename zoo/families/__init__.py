"""The catalog's entries, one file per family; a new model is an entry here and nothing else."""
