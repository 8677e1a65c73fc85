"""docs/rules/: one document for each kind of query, an index, the parameters and the specification."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.parameters import PARAMETERS, ParameterConcern
from keepstate.rules.page_files import introduction
from keepstate.rules.readable_pages import captioned, readable
from keepstate.rules.rule_pages import PAGES
from rule_index import index
from rule_links import MARK, QUERIES, anchor, file_name, table
from specification_table import specification

PARAMETERS_INTRODUCTION = """\
This page lists the parameters that touch the state of a job: by `SET`, in the console of a platform or in
`keepstate.toml`. A hover on a parameter explains it. Keepstate compares parameters by their meaning; [the cost of a
change](configuration.md) has rules of its own. Any other parameter below `table.exec.` or `table.optimizer.` may
touch state; all others do not.
"""
FELT = (ParameterConcern.STATE, ParameterConcern.EMISSION, ParameterConcern.KEY_GROUPS)


def documents() -> dict[str, str]:
    """The text of every file of the folder, by name."""
    made = {file_name(query_kind): document(query_kind) for query_kind in QUERIES}
    return {"README.md": index(), "parameters.md": parameters(), "specification.md": specification(), **made}


def document(query_kind: str) -> str:
    """The pages of a kind of query, behind what introduces them."""
    pages = (page for page in PAGES if page.query_kind == query_kind)
    sections = (f"{anchor(page)}\n\n{readable(page)}" for page in pages)
    text = "\n".join((captioned(introduction(query_kind)).rstrip() + "\n", *sections)).rstrip()
    return f"{MARK}\n\n[All rules](README.md)\n\n{text}\n"


def parameters() -> str:
    return "\n".join(
        [
            f"{MARK}\n",
            "[All rules](README.md)\n",
            "# Job parameters that are known\n",
            PARAMETERS_INTRODUCTION,
            *table(("parameter", "default", "meaning, and effect on state", "a change touches"), _known()),
            "",
        ]
    )


def _known() -> Iterator[tuple[str, ...]]:
    for parameter in PARAMETERS:
        keys = " or ".join(f"`{key}`" for key in (parameter.key, *parameter.synonyms))
        felt = f". Felt by {parameter.reach.value}" if parameter.concern in FELT else ""
        default = f"`{parameter.default}`" if parameter.default is not None else ""
        yield keys, default, f"{parameter.title}. {parameter.meaning}", f"{parameter.concern.value}{felt}"
