"""What dycl says when a person asked for something that cannot be done, before any compiling.

``CompileError`` (rewriter) is about the user's model; ``DyclBug`` (rewriter) is about dycl.
"""


class UserError(Exception):
    """A request that cannot be carried out as given: a missing file, a wrong option.

    ``detail`` is longer text to show below the message, such as the user's own traceback;
    ``help`` says what to do instead.
    """

    def __init__(self, message: str, *, help: str = "", detail: str = "") -> None:
        self.message = message
        self.help = help
        self.detail = detail
        super().__init__(self.render())

    def render(self) -> str:
        """Return message, detail and help as text."""
        parts = [self.message]
        if self.detail:
            parts.append(self.detail.rstrip())
        if self.help:
            parts.append(f"  help: {self.help}")
        return "\n".join(parts)
