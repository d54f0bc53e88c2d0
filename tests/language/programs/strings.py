"""Strings: f-strings, format, %, methods; as attribute names and as results."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
class AttributeNames(nn.Module):
    """Attribute names made by an f-string, format, % and +."""

    def __init__(self):
        super().__init__()
        for i in range(4):
            self.add_module("block%d" % i, nn.Linear(3, 3))
            setattr(self, f"scale_{i}", float(i))

    def forward(self, x):
        y = getattr(self, f"block{0}")(x)
        if y.sum() > 0:
            y = getattr(self, "block{}".format(1))(y)
        else:
            y = getattr(self, "block%d" % 2)(y)
        return getattr(self, "block" + str(3))(y) * getattr(self, "scale_%i" % 2)


@case(inputs=BOTH)
def known_formatting(x):
    """Format specifications, conversions and nested fields over known values."""
    width, value = 6, 3.14159
    text = (
        f"{value:{width}.2f}|{width:03d}|{'a':>4}|{1234567:,}|{0.25:.1%}|{255:#x}|{'q'!r}|{width=}"
    )
    if x.sum() > 0:
        text = text.upper()
    return text, "{0}-{1}-{0}".format("a", 2), "{name:<5}|".format(name="n"), "%05.1f%%" % 2.345


@case(inputs=BOTH)
def string_methods(x):
    """split, join, strip, replace, startswith, find, case, slices, in."""
    path = "layer1.block.conv"
    parts = path.split(".")
    name = "_".join(parts[1:])
    if name.startswith("block") and "conv" in path:  # known
        x = x * len(name)
    if x.sum() > 0:
        name = name.replace("block", "b").title()
    return x, name, path[-4:], path.find("z"), " a ".strip(), path.rpartition(".")[0], "ab" * 2


@case(inputs=BOTH)
def formatted_numbers_at_run_time(x):
    """f-strings of run-time numbers: ints, bools, floats with and without a format."""
    total = int(x.sum())
    positive = bool(x.sum() > 0)
    label = f"total={total} {total:+05d} positive={positive} half={total / 2:.2f}"
    return label, "%d/%s" % (total, positive), "{:>6}".format(total), str(total) + "!", repr(total)


@case(inputs=[(0.1,), (1.0,), (1e20,), (float("nan"),), (-2.5,), (1e-7,), (123456789.0,)])
def text_of_floats(value):
    """str, repr and rounding of run-time floats follow Python."""
    return str(value), repr(value), f"{value:g}", f"{value}", "%.3e" % value, round(value * 0.5, 2)


@case(inputs=BOTH)
def string_building(x):
    """A string that grows under dynamic tests."""
    text = ""
    for i, row in enumerate(x):
        if row.sum() > 0:
            text += f"row{i} "
        else:
            text += "-"
    return text.strip(), len(text), text == "row0 row1 ", text[:3], text.split()


@case(inputs=BOTH)
def string_from_arms(x):
    """A string chosen by a dynamic test is returned and compared afterwards."""
    kind = "positive" if x.sum() > 0 else "negative"
    if kind == "positive":
        x = x + 1
    return x, kind


@case(inputs=BOTH)
def dispatch_by_name(x):
    """A name chosen by a dynamic test selects a function from a dict."""
    functions = {"relu": torch.relu, "abs": torch.abs}
    name = "abs"
    if x.sum() > 0:
        name = "relu"
    return functions[name](x), name


@case(inputs=[("mean",)])
def static_string(reduction, x=1):
    """A str argument is fixed at compile time."""
    if reduction == "mean":  # known
        return 1
    raise ValueError(f"unknown reduction {reduction}")  # never


@case(inputs=[(POSITIVE, "sum"), (NEGATIVE, "sum")])
def static_string_with_tensor(x, reduction="mean"):
    """A static string beside a tensor chooses the known arm."""
    y = getattr(torch, reduction)(x)
    if reduction not in ("sum", "mean"):  # known
        raise ValueError(reduction)  # never
    return y if y > 0 else -y


@case(inputs=BOTH)
def joined_words(x):
    """join over a list of words of run-time length; characters; membership."""
    words = []
    for i, value in enumerate(x.flatten()):
        if value > 1:
            words.append("w" + str(i))
    sentence = " ".join(words)
    return sentence, "w3" in sentence, sentence.count("w"), sentence.upper() or "empty"


@case(inputs=[(0,), (2,), (7,)])
def letters_searched_in_an_alphabet(place):
    """Methods of a known string that are given a letter of run time; one that is not there."""
    alphabet = "abcdef"
    letter = chr(ord("a") + place)
    try:
        found = alphabet.index(letter)
    except ValueError as error:
        found = str(error)
    parts = alphabet.partition(letter), alphabet.split(letter), alphabet.endswith(letter, 0, 3)
    return found, alphabet.find(letter), alphabet.count(letter), parts, alphabet.replace(letter, "-")


@case(inputs=BOTH)
def joined_by_a_separator_of_run_time(x):
    """join of known and of run-time words, by a string that the input chooses."""
    mark = "+" if x.sum() > 0 else "-"
    shown = mark.join(str(i) for i, value in enumerate(x.flatten()) if value > 1)
    return mark.join(["a", "b"]), mark.join("xyz"), mark.join([]), shown


@case(inputs=BOTH)
def printing(x):
    """print of strings and host numbers happens in the host, in order."""
    print("start", x.shape[0], sep=":")
    if x.sum() > 0:
        print("positive", end=" ")
        print(int(x.max()), True, None)
    else:
        print(f"{'negative':>10}")
    return x


@case(inputs=[(torch.tensor([3]),), (torch.tensor([-1]),)])
def escapes_in_formatted_texts(x):
    """Quotes, backslashes, names and numbers of characters stand for themselves in an f-string."""
    number = int(x[0])
    quotes = f"a\"b{number}\"", f'a\'b"{number}"', f"\\\"{number}\\", f"\"{number!r}'\""
    longer = f"""x"\"y\n{number}"
    """
    others = f"\N{EM DASH}{number}\x41\u00e9", rf"\"{number}\n'", f"{{\"k\": {number:>{4}}}}"
    return quotes, longer, others


@case(inputs=BOTH)
def joined_with_what_is_no_text(x):
    """join says which item is no text, and of which class it is."""
    said = []
    for items in (["a", x], [float(x.sum())], ["a", f"{int(x.sum())}", (x,)], [x.numpy()]):
        try:
            said.append("-".join(items))
        except TypeError as error:
            said.append(str(error))
    return said
