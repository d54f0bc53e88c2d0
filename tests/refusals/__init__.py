"""One smallest program for each diagnostic code, and the text that it is refused with."""
