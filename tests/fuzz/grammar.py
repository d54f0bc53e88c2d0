"""The expressions that programs are made of, as templates by kind and weight.

``<M>`` stands for an expression of a matrix, ``<R>`` a row, ``<P>`` a pair, ``<S>`` a tensor of
one element, ``<wide>`` one of several, ``<same>`` the kind that is written; ``<I>``, ``<F>``,
``<B>``, ``<T>`` for an int, float, bool and text; ``<C>`` for a condition, ``<number>`` for an
int or a float, ``<constant>``, ``<threshold>``, ``<index>`` and ``<small>`` for literals. The
others stand for names of the program (``expressions.NAMES``): a template with such a hole is
left out where the program holds nothing for it.
"""

from tests.fuzz.kinds import BOOL, FLOAT, INT, MATRIX, PAIR, ROW, SINGLE, STR, Kind

Templates = tuple[tuple[float, str], ...]

CONSTANTS = ("0.5", "2", "1.5", "0.25", "-1", "3.0", "-0.5", "1")
THRESHOLDS = ("0.3", "-0.3", "1.1", "2.3", "-1.7", "5.2", "0.05", "-4.6")
"""Unlikely to be met exactly: inputs are multiples of one eighth."""

ANY_TENSOR: Templates = (
    (1, "torch.relu(<same>)"), (1, "<same>.abs()"), (1, "(-<same>)"), (0.7, "torch.tanh(<same>)"),
    (1, "<same>.clamp(-2, 2)"), (0.7, "<same>.clone()"), (0.5, "<same>.detach()"),
    (0.5, "F.relu(<same>)"), (0.5, "torch.sigmoid(<same>)"), (0.3, "<same>.contiguous()"),
    (0.3, "torch.zeros_like(<same>)"), (0.3, "torch.ones_like(<same>)"), (0.3, "<same>.float()"),
    (3, "(<same> + <same>)"), (2, "(<same> - <same>)"), (1, "(<same> * <same>)"),
    (0.7, "torch.maximum(<same>, <same>)"), (0.7, "torch.minimum(<same>, <same>)"),
    (1, "torch.where(<same> > <threshold>, <same>, <same>)"), (0.5, "<same>.add(<same>)"),
    (0.5, "(<same> > <same>).float()"), (1, "(<same> + <S>)"), (0.5, "(<same> * <S>)"),
    (3, "(<same> * <constant>)"), (3, "(<same> + <constant>)"), (1, "(<same> - <constant>)"),
    (1.5, "(<same> + <number>)"), (1.5, "(<same> * <number>)"), (1, "(<number> - <same>)"),
    (0.5, "<same> / 2"), (0.3, "<same>.masked_fill(<same> > <threshold>, <F>)"),
    (0.5, "(<same> if <C> else <same>)"),
)  # fmt: skip

EXPRESSIONS: dict[Kind, Templates] = {
    MATRIX: (
        (1, "torch.stack([<R>, <R>])"), (1, "torch.cat([<M>[:1], <M>[1:]], dim=0)"),
        (0.5, "<M>.flip(0)"), (0.5, "<M>[[1, 0]]"), (0.5, "<R>.unsqueeze(0).expand(2, 3)"),
        (0.5, "<M>.t().contiguous().t()"), (0.5, "<M>.reshape(3, 2).view(2, 3)"),
        (0.5, "<M>.softmax(dim=1)"), (0.5, "torch.cat([<M>, <R>.unsqueeze(0)])[1:]"),
        (0.3, "torch.cat([<M>, <M>], dim=1)[:, ::2]"), (0.5, "(<M>.sum(1, keepdim=True) + <R>)"),
        (2, "(<M> + <R>)"), (0.7, "(<M> * <R>)"), (3, "<layer>(<M>)"),
        (2, "torch.relu(<layer>(<M>))"), (0.7, "torch.cat([<M>, <M>])[<I> % 4 // 2 :][:2]"),
        (0.7, "torch.stack(<rows>)[:1].expand(2, 3)"), (0.5, "<M>[torch.tensor([<I> % 2, 0])]"),
    ),
    ROW: (
        (3, "<M>[<index>]"), (1, "<M>[<I> % 2]"), (2, "<M>.sum(0)"), (0.7, "<M>.mean(dim=0)"),
        (0.7, "<M>.max(dim=0).values"), (0.5, "<M>.max(0)[0]"), (0.5, "<R>.flip(0)"),
        (0.5, "torch.cat([<R>[:1], <R>[1:]])"), (0.5, "<R>.sort().values"),
        (0.5, "<R>[torch.tensor([2, 0, 1])]"), (0.7, "torch.stack([<S>, <S>, <S>])"),
        (2, "<layer>(<R>)"), (1, "torch.stack(<rows>).sum(0)"), (0.7, "torch.stack(<rows>)[-1]"),
        (0.7, "sum(<rows>)"), (0.5, "<R>.softmax(-1)"), (0.4, "torch.tensor([<F>, <F>, 1.0])"),
    ),
    PAIR: (
        (2, "<M>.sum(1)"), (1, "<M>[:, <index>]"), (1, "<M>.max(1).values"), (0.7, "<M>.mean(-1)"),
        (0.5, "<P>.flip(0)"), (0.7, "<M>[:, <I> % 3]"), (1, "<R>[1:]"), (0.5, "<R>[:2]"),
        (0.5, "torch.stack([<S>, <S>])"),
    ),
    SINGLE: (
        (4, "<wide>.sum()"), (2, "<wide>.max()"), (1.5, "<wide>.mean()"), (1, "<wide>.min()"),
        (1, "<M>[0, 1]"), (1, "<R>[<index>]"), (0.7, "torch.sum(<wide>)"),
        (0.2, "<M>[<M> > <threshold>].sum()"), (0.7, "<R>[-1 - <I> % 3]"),
        (0.5, "<M>[<I> % 2, <I> % 3]"),
        (0.7, "(<wide> > <threshold>).sum().float()"), (1, "<tokens>.sum().float()"),
        (0.5, "<tokens>.float().max()"), (0.5, "torch.dot(<R>, <R>)"), (0.4, "torch.tensor(<F>)"),
    ),
    INT: (
        (1, "(<I> + <I>)"), (1, "(<I> - <I>)"), (0.7, "(<I> * 2)"), (0.7, "(<I> // 2)"),
        (0.7, "(<I> % 3)"), (0.7, "min(<I>, <I>)"), (0.7, "max(<I>, <I>)"), (0.4, "abs(<I>)"),
        (0.7, "int(<S>)"), (0.7, "int(<S>.item())"), (1, "<R>.argmax().item()"),
        (0.7, "int(<R>.argmax())"), (1, "(<wide> > <threshold>).sum().item()"), (0.5, "int(<F>)"),
        (0.5, "round(<F>)"), (0.5, "int(<B>)"), (1, "(<I> + 1)"), (0.4, "sum([<I>, <I>])"),
        (0.4, "<M>.shape[<index>]"), (2, "len(<container>)"), (1, "<tokens>[<I> % 4].item()"),
        (1, "<tokens>.max().item()"), (1, "<tokens>.tolist()[1]"), (1, "int(<tokens>[0])"),
        (1, "max(<ints>)"), (1, "sum(<ints>)"), (0.5, "sorted(<ints>)[0]"), (0.4, "(<C>) + <I>"),
        (0.5, "math.floor(<F>)"), (1, "(<I> if <C> else <I>)"),
    ),
    FLOAT: (
        (3, "<S>.item()"), (1, "float(<S>)"), (1, "(<F> + <F>)"), (1, "(<F> - <F>)"),
        (0.7, "(<F> * 0.5)"), (0.5, "(<F> / 2)"), (0.7, "(<I> / 2)"), (0.7, "min(<F>, <F>)"),
        (0.7, "max(<F>, 0.5)"), (0.5, "abs(<F>)"), (0.4, "round(<F>, 1)"), (0.7, "float(<I>)"),
        (0.4, "math.sqrt(abs(<F>))"), (0.4, "(-<F>)"), (1, "max(<floats>)"),
        (0.7, "sum(<floats>) * 0.5"), (1, "(<F> if <C> else <F>)"), (0.4, "<R>.tolist()[1]"),
        (0.4, "math.exp(min(<F>, 1.0))"),
    ),
    BOOL: (
        (2, "bool(<C>)"), (1, "(not <C>)"), (1, "bool(<S> > <threshold>)"),
        (1, "(<S> > <threshold>).item()"), (0.7, "(<I> > <I>)"), (0.5, "(<B> and <B>)"),
    ),
    STR: (
        (1, "f'<{<plain>}>'"), (1, "f'{<plainfloat>:.2f}'"), (1, "(<T> + 'c')"), (1, "str(<I>)"),
        (0.7, "<T>.upper()"), (0.5, "'-'.join([<T>, <T>])"), (0.7, "('%d' % <I>)"),
        (0.5, "('hi' if <C> else <T>)"),
    ),
}  # fmt: skip

CONDITIONS: Templates = (
    (2, "(<C> and <C>)"), (2, "(<C> or <C>)"), (1.5, "(not <C>)"),
    (8, "<S> > <threshold>"), (4, "<S> < <threshold>"), (1, "<S> >= <threshold>"),
    (3, "<S>.item() > <threshold>"), (1.5, "(<wide> > <threshold>).any()"),
    (1.5, "(<wide> < <threshold>).all()"), (0.7, "torch.any(<wide> > <threshold>)"),
    (1, "<threshold> < <S> < <threshold>"), (0.7, "(<S> > <threshold>).item()"),
    (0.4, "torch.equal(<M>, <M>)"), (0.7, "float(<S>) <= <threshold>"), (0.5, "<S> > <S>"),
    (3, "<F> > <threshold>"), (1, "-2.2 < <F> <= <threshold>"), (1, "<F> < <F>"),
    (2, "<I> < <I>"), (1.5, "<I> == <I>"), (1, "<I> >= <I>"), (1, "<I> % 2 == 0"), (0.7, "<I>"),
    (0.7, "<I> in (0, 2)"), (0.5, "<I> not in [1, <I>]"), (0.7, "0 <= <I> < <I>"),
    (2, "<B>"), (0.4, "<B> is True"), (0.5, "<T> == <T>"), (1, "<container>"),
    (1, "not <container>"), (1.5, "len(<container>) > <small>"), (1, "'a' in <table>"),
    (0.5, "'b' not in <table>"), (1, "(<tokens> == 2).any()"), (1, "<tokens>[0] == 1"),
    (1, "<tokens>.sum() > 4"), (0.4, "<stored> is <stored>"), (0.3, "<stored> is not None"),
    (0.4, "any([<C>, <C>])"), (0.4, "all([<C>, <C>])"), (0.5, "<I> in <ints>"),
    (0.3, "isinstance(<F>, float)"),
)  # fmt: skip

LEAVES: dict[Kind, Templates] = {
    MATRIX: ((1, "torch.zeros(2, 3)"), (1, "torch.ones(2, 3)"), (1, "torch.full((2, 3), 0.5)")),
    ROW: (
        (4, "<matrix>[<index>]"), (4, "<matrix>.sum(0)"), (1, "torch.zeros(3)"),
        (1, "torch.tensor([1.0, 0.5, -1.0])"),
    ),
    PAIR: ((4, "<matrix>.sum(1)"), (2, "<matrix>[:, 1]"), (1, "torch.zeros(2)")),
    SINGLE: ((6, "<matrix>.sum()"), (4, "<matrix>[0, 1]"), (1, "torch.tensor(0.5)")),
    INT: ((1, "0"), (1, "1"), (1, "2"), (1, "3"), (0.5, "-1"), (2, "<matrix>[0].argmax().item()")),
    FLOAT: ((1, "0.5"), (1, "1.5"), (1, "-0.25"), (0.5, "0.0"), (3, "<matrix>.mean().item()")),
    BOOL: ((1, "True"), (1, "False"), (4, "<C>")),
    STR: ((1, "'a'"), (1, "'b'"), (1, "''")),
}  # fmt: skip
"""What is written where nothing of the kind is stored."""
