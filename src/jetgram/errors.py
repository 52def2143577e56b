"""The exceptions of jetgram: few, and each message says what was found and what was expected."""

from __future__ import annotations

from collections.abc import Collection


class JetgramError(Exception):
    """Base of every error that jetgram raises on purpose; the command line prints it without a traceback."""


class BadJetError(JetgramError, ValueError):
    """Momenta that no physical jet has: not finite, negative energy, E < |p|, an empty jet, a wrong shape."""


class DatasetError(JetgramError):
    """A stored dataset that is damaged, incomplete, foreign or of another version."""


class SettingsError(JetgramError, ValueError):
    """A setting with an unknown name or a value outside its range."""


class GenerationError(JetgramError, RuntimeError):
    """The event generator refused its card or could not go on."""


class EvaluationError(JetgramError, ValueError):
    """Scores that are unfit to be judged: not finite, without one of the two classes, or not comparable."""


class ModelError(JetgramError):
    """A stored model that is damaged, edited, foreign or of another version."""


class TrainingError(JetgramError, RuntimeError):
    """A training that cannot begin with these jets, or cannot go on."""


class LostProcessError(JetgramError, RuntimeError):
    """One of the processes that train together is gone; nothing is wrong with the training itself."""


class MissingExtraError(JetgramError, ModuleNotFoundError):
    """A package of an optional part is not installed; see `jetgram.extras`."""


class SuspiciousJetsWarning(UserWarning):
    """Jets that are legal, but look as if they were not what is expected."""


class MissingExtraWarning(UserWarning):
    """Something is left out, because a package of an optional part is not installed."""


class NewerModelWarning(UserWarning):
    """A model that a newer version of jetgram has written."""


class DiscardedWeightsWarning(UserWarning):
    """A loaded model is trained anew, from random weights."""


def require_known(complaint: str, name: str, known: Collection[str]) -> None:
    """Raise a `SettingsError` that names the nearest known name, or all of them if none is near.

    Example:
        >>> require_known("no topology", "anti-kt", ["kt", "ca", "antikt"])
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no topology 'anti-kt'; did you mean 'antikt'?
        >>> require_known("no topology", "tree", ["kt", "ca", "antikt"])
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no topology 'tree'; there are: kt, ca, antikt
    """
    if name in known:
        return
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
    raise SettingsError(f"{complaint} {name!r}; {hint}")
