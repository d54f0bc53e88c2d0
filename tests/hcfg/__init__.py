"""Tests of the room ``hcfg``."""
