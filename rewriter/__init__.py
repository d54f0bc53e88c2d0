"""The rewriter: source of a model in, rewritten program out.

Comes in: a model object and example inputs. Goes out: ``RewrittenProgram`` (see
``program``), control-flow graphs of residual statements. Start reading at ``entry.rewrite``,
then ``evaluation/control/statements.py``; ``printing`` turns a program into readable Python.
"""

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.options import RewriteOptions
from rewriter.program import RewrittenProgram
from rewriter.rewriting import rewrite

__all__ = ["CompileError", "Diagnostic", "RewriteOptions", "RewrittenProgram", "rewrite"]
