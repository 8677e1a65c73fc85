"""The host of an editor without a server: one function from the JSON of a request to the JSON of its answer."""

from __future__ import annotations

import json

from keepstate.hosts.host import Host
from keepstate.reporting.file_json import FORMAT_VERSION, Json
from keepstate_lsp.editor_host.document_settings import BadQuestion, Question, document_settings

SETTINGS = "settings"
"""The value of ``do`` that the contract of hosts has not: a page has no files that settings could come from."""


class EditorHost:
    """The memory of one editor. ``tool_version`` is that of Keepstate. Not for several threads.

    >>> import json
    >>> asked = {"do": "settings", "id": 1, "path": "a.sql", "text": "SELECT 1", "client": {"engine": "flink"}}
    >>> answer = json.loads(EditorHost("0.1.0").answer(json.dumps(asked)))["answer"]
    >>> answer["is_flink"], answer["engine"]
    (False, 'flink')
    """

    def __init__(self, tool_version: str) -> None:
        self._host = Host(tool_version)

    def answer(self, request: str) -> str:
        """The answer to a request, as ``Host.answer`` gives it."""
        # The client of this contract comes with it, so a request is JSON.
        value = json.loads(request)
        if value.get("do") != SETTINGS:
            return self._host.answer(request)
        try:
            members: Json = {"answer": document_settings(Question.of(value))}
        except BadQuestion as error:
            members = {"error": str(error)}
        return json.dumps({"version": FORMAT_VERSION, "id": value.get("id"), **members})
