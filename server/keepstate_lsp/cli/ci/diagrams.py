"""Hosts whose comments draw diagrams, from the environment variables of CI systems."""

from __future__ import annotations

from collections.abc import Mapping

_NOT_DRAWN = (
    "BITBUCKET_BUILD_NUMBER",
    "TF_BUILD",  # Azure: its wikis draw Mermaid, its comments do not
)


def draws_mermaid(environment: Mapping[str, str]) -> bool:
    """Return whether a comment may have Mermaid in it: GitHub, GitLab, Gitea and Forgejo draw it.

    >>> draws_mermaid({"GITLAB_CI": "true"}), draws_mermaid({"BITBUCKET_BUILD_NUMBER": "7"})
    (True, False)
    """
    return not any(environment.get(name) for name in _NOT_DRAWN)
