"""Does the host do what the original does? Run both on the same inputs and tell.

In: a model, its compiled host, inputs. Out: a ``VerificationReport``. Start reading at
``verifying.verify``; ``comparison`` says when two results are equal, ``observation`` which
paths ran, ``tracing_baseline`` how plain tracing fares on the same inputs.
"""

from dycl.verification.report import VerificationReport
from dycl.verification.verifying import verify

__all__ = ["VerificationReport", "verify"]
