"""Numbers in English words, the sentences that some of the zoo's sequence models learn."""

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = (*ONES, *TENS, "hundred", "thousand", "and")


def spelled(number):
    """Return a number below a million in words.

    >>> spelled(90210)
    'ninety thousand two hundred and ten'
    """
    if number < 20:
        return ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens - 2] + (f" {ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{ONES[hundreds]} hundred" + (f" and {spelled(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    between = " and" if 0 < rest < 100 else ""
    return f"{spelled(thousands)} thousand{between}" + (f" {spelled(rest)}" if rest else "")
