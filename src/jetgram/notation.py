"""How numbers are written for a reader: in tables, pictures and pages the same."""


def percent(fraction: float) -> str:
    """A fraction as a reader writes it.

    Example:
        >>> percent(0.5), percent(0.305)
        ('50 %', '30.5 %')
    """
    return f"{100 * fraction:.4g} %"


def with_error(value: str, error: float | None, form: str) -> str:
    """A value with its error behind it, if it is known.

    Args:
        value: as it is written.
        error: one standard deviation.
        form: how to write the error, as in a format string.

    Example:
        >>> with_error("0.916", 0.0041, ".3f"), with_error("> 1,200", None, ".0f")
        ('0.916 ± 0.004', '> 1,200')
    """
    return value if error is None else f"{value} {plus_minus(error, form)}"


def plus_minus(error: float, form: str) -> str:
    """An error alone, for a column of its own.

    Example:
        >>> plus_minus(0.0041, ".3f")
        '± 0.004'
    """
    return f"± {error:{form}}"
