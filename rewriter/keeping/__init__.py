"""What a model keeps from one call to the next: found, generalised, loaded and stored.

A call is the body of an endless loop whose head is the entry. What the program writes to and
what outlives the call are the *roots*: attributes of the model's objects, their lists and
dicts, their buffers. The structure of all roots at the entry is a *phase*; each phase is
compiled apart (``hidden`` is None in the first call, a tensor in all others), and within one
phase what differs from call to call is loaded at run time.

What is none of the model's (``reach``), but of the files, classes and functions that its code names
(``shared_reach``), is kept where the program is refused otherwise (``tried_again``).

Start reading at ``plan`` (what is found out by evaluating again and again until nothing new
turns up), then ``shapes`` (the abstract structure), ``entering`` and ``leaving``.
"""
