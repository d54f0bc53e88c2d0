"""Modules that are copied into host packages. They import numpy and each other only."""
