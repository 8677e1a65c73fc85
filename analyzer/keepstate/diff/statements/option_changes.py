"""Changes of ``key = value`` settings: in SET, in a hint, or outside of the SQL."""

from __future__ import annotations

from keepstate.diff.changes import Change, ChangeKind, LifetimeChange, QueryKind
from keepstate.plan.catalog import Option
from keepstate.plan.provenance import Place
from keepstate.report import ExternalSetting


def changed_option(
    kind: ChangeKind,
    query: QueryKind,
    was: Option | None,
    now: Option | None,
    *,
    subject: str,
    words: tuple[str, str],
    fallback: Place | None = None,
    reset: Place | None = None,
    reason: str = "",
    parameter: str = "",
    lifetime: LifetimeChange | None = None,
) -> Change:
    """Return the change from ``was`` to ``now``, of which either may be missing. ``words`` are both in readable form.

    ``reset`` is the statement that unset the option; ``fallback`` is the affected clause, for a current side without a
    clause of its own. ``parameter`` is the key of a job parameter.
    """
    external = ExternalSetting(_outside_key(now), _outside_key(was))
    place = now.place if now is not None else reset
    return Change(
        kind,
        query,
        place or fallback,
        was.place if was is not None else None,
        removed=now is None and reset is None,
        subject=subject,
        baseline_text=words[0],
        current_text=words[1],
        reason=reason,
        external=external if external.key else None,
        parameter=parameter,
        lifetime=lifetime,
    )


def _outside_key(option: Option | None) -> str | None:
    return option.key if option is not None and option.place is None else None
