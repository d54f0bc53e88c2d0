"""From a sub-DNN of the graph to something a backend can compile.

In: a ``SubDnn`` node and its graph. Out: ``CapturedSubDnn``: a module that holds only what
the sub-DNN uses, the weights it touches in order of first use, and a key that two sub-DNNs
share exactly when they do the same operations on weights of the same shapes.

Start reading at ``capturing.py``; ``holder.py`` makes the module, ``blame.py`` finds the
line to show when something fails.
"""

from dycl.capture.captured import CapturedSubDnn, Port, Weight
from dycl.capture.capturing import capture

__all__ = ["CapturedSubDnn", "Port", "Weight", "capture"]
