"""The host's end of the analyzer: one function from the JSON of a request to the JSON of its answer."""

from __future__ import annotations

import json

from keepstate.draft import Draft
from keepstate.hosts.places import complete, hover, notes, plan, validate
from keepstate.hosts.reports import check, fixes
from keepstate.hosts.request_versions import VersionComposer
from keepstate.hosts.requests import BadRequest, HostRequest, read_request
from keepstate.reporting.file_json import FORMAT_VERSION, Json

QUESTIONS = ("check", "fixes", "hover", "notes", "plan", "validate", "complete")
"""Values of ``do``."""


class Host:
    r"""The memory of one host. ``tool_version`` is that of Keepstate, which answers name. Not for several threads.

    >>> import json
    >>> was = "SELECT b, SUM(a) FROM t GROUP BY b"
    >>> sides = {"current": {"files": {"a.sql": was.replace("SUM", "MAX")}, "job": "a.sql"},
    ...          "baseline": {"files": {"a.sql": was}, "job": "a.sql"}}
    >>> host = Host("0.1.0")
    >>> answer = json.loads(host.answer(json.dumps({"do": "check", "id": 7, "engine": "vvr", **sides})))
    >>> answer["id"], answer["answer"]["verdict"], answer["answer"]["files"][0]["findings"][0]["rule"]
    (7, 'incompatible', 'all-aggregates-replaced')
    >>> host.answer('{"do": "check", "id": 8, "engine": "spark"}')
    '{"version": 1, "id": 8, "error": "\\"engine\\" is \\"spark\\", and not one of vvr, flink."}'
    """

    def __init__(self, tool_version: str) -> None:
        self._tool_version = tool_version
        self._versions = VersionComposer()
        self._draft = Draft()

    def answer(self, request: str) -> str:
        """The answer to a request: ``answer``, or ``error`` with a sentence for what is not in the contract."""
        try:
            question = read_request(request, QUESTIONS)
        except BadRequest as error:
            return _response(error.id, {"error": str(error)})
        try:
            return _response(question.id, {"answer": self._answer(question)})
        except BadRequest as error:
            return _response(question.id, {"error": str(error)})

    def _answer(self, request: HostRequest) -> Json:
        match request.do:
            case "check":
                return check(request, self._versions, self._tool_version)
            case "fixes":
                return fixes(request, self._versions)
            case "hover":
                return hover(request, self._versions)
            case "notes":
                return notes(request, self._versions)
            case "plan":
                return plan(request, self._versions, self._tool_version)
            case "validate":
                return validate(request, self._versions)
            case "complete":
                return complete(request, self._versions, self._draft)
            case other:
                raise AssertionError(other)


def _response(id_: object, members: Json) -> str:
    # Lone surrogates of a text stay escapes, which every reader takes.
    return json.dumps({"version": FORMAT_VERSION, "id": id_, **members})
