"""The whole pipeline on the zoo: compile, deploy, verify."""
