"""Tests of the zoo: that its models are what their papers describe, and take all their paths."""
