"""The programs, one file per topic. Each program tests one rule of the language."""
