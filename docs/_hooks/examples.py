"""Shows the `Example:` of a docstring as code: the reference's parser knows only `Examples:`."""

import re
from typing import Any

import griffe

SECTION = re.compile(r"^(\s*)Example:$", re.MULTILINE)


class ShowExamples(griffe.Extension):
    """Renames the section in every docstring."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        """Called for each module, class, function and attribute."""
        if not obj.is_alias and obj.docstring:
            obj.docstring.value = SECTION.sub(r"\1Examples:", obj.docstring.value)
