"""How numbers are written for a reader: the same in tables, pictures and pages."""

from collections.abc import Sequence


def percent(fraction: float) -> str:
    """A fraction as a reader writes it: with all its digits, but those that only rounding made.

    Example:
        >>> percent(0.5), percent(0.305), percent(0.29), percent(0.99999)
        ('50 %', '30.5 %', '29 %', '99.999 %')
    """
    return f"{100 * fraction:.12g} %"


def with_error(value: str, error: float | None, form: str) -> str:
    """A value followed by its error, if that is known.

    Args:
        value: as it is written.
        error: one standard deviation.
        form: how to write the error, as in a format string.

    Example:
        >>> with_error("0.916", 0.0041, ".3f"), with_error("> 1,200", None, ".0f")
        ('0.916 ± 0.004', '> 1,200')
    """
    return value if error is None else f"{value} {plus_minus(error, form)}"


def measured(value: float, error: float | None, decimals: int) -> str:
    """A number with its error, if that is known, to the same decimals.

    Example:
        >>> measured(0.9164, 0.0041, 3), measured(0.9164, None, 2)
        ('0.916 ± 0.004', '0.92')
    """
    return with_error(f"{value:.{decimals}f}", error, f".{decimals}f")


def plus_minus(error: float, form: str) -> str:
    """An error alone, for a column of its own.

    Example:
        >>> plus_minus(0.0041, ".3f")
        '± 0.004'
    """
    return f"± {error:{form}}"


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table in plain text, none with a space at its end.

    Args:
        rows: the headings first, all of the same length.
        left: how many columns of text begin a row; numbers follow, aligned to the right.

    Example:
        >>> aligned([("jets", "AUC"), ("nominal", "0.916"), ("soft", "0.9")])
        ['jets       AUC', 'nominal  0.916', 'soft       0.9']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([*map(str.ljust, row[:left], widths), *map(str.rjust, row[left:], widths[left:])]).rstrip()
        for row in rows
    ]
