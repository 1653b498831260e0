"""What a finding's code means: one page of Markdown per code, shipped with the package."""

from __future__ import annotations

from importlib.resources import files

_PAGES = files("inboxgen") / "explanations"


def codes() -> tuple[str, ...]:
    """Every code that can be explained, sorted."""
    return tuple(sorted(page.name.removesuffix(".md") for page in _PAGES.iterdir() if page.name.endswith(".md")))


def explain(code: str) -> str:
    """The page of `code`, in any case of letters; LookupError when there is none."""
    if code.upper() not in codes():
        raise LookupError(f"no finding has the code {code}")
    return (_PAGES / f"{code.upper()}.md").read_text(encoding="utf-8")
