"""Layers whose result is multiplied by 0 or 1: found, and proved to be skippable.

Start reading at ``finding``; ``docs/masks.md`` has the argument.
"""
