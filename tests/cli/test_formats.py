"""Every format over everything that a run may meet: valid, complete, and nothing of it said by the SQL."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator
from markdown_it import MarkdownIt

from format_cases import Case
from format_runs import GAPS, Run, case, cut, run, runs, sarif_schema
from jobs import INCOMPATIBLE, JOB
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.formats import sarif
from keepstate_lsp.cli.formats.github import escape_data, escape_property
from keepstate_lsp.cli.formats.markdown import LIMIT
from repositories import GitRepository

__all__ = ["case", "run", "runs"]

COMMAND = re.compile(r"::(?P<name>error|warning|notice) (?P<properties>[^\n]*?)::(?P<data>[^\n]*)")


def test_the_case_is_what_it_says(run: Run, case: Case) -> None:
    first: dict[str, str] = {}
    for path, finding in run.findings:
        first.setdefault(path, finding["verdict"])
    assert (run.status, first) == (case.status, case.verdicts)


def test_what_was_not_compared_is_named_in_every_format(run: Run, case: Case) -> None:
    for name in REPORT_FORMATS:
        text = run.texts[name]
        if name == "markdown":
            text = text.replace("\\", "")
        missing = [words for words in case.gaps if words.lower() not in text.lower() and not words.endswith(".sql")]
        assert not missing, name
        if name not in ("json", "sarif"):
            said = re.search(r"not[- ](compared|valid)", text, re.IGNORECASE) is not None
            assert said == (case.status == 2), name
    known = case.status == 2 or case.refusals > 0
    assert bool(run.json["problems"]) == bool(run.sarif["invocations"][0]["toolExecutionNotifications"]) == known


def test_sarif(run: Run, case: Case) -> None:
    Draft7Validator(sarif_schema()).validate(json.loads(run.texts["sarif"]))
    results = run.sarif["results"]
    assert [entry["ruleId"] for entry in results] == [finding["rule"] for _, finding in run.findings]
    rules = run.sarif["tool"]["driver"]["rules"]
    for rule in rules:
        # What GitHub's page on SARIF lists for a rule.
        assert rule["shortDescription"]["text"] and rule["defaultConfiguration"]["level"] in (
            "note",
            "warning",
            "error",
        )
        words = rule["fullDescription"]["text"]
        assert words[0].isalnum() and len(words) <= 1024 and words in " ".join(rule["help"]["text"].split())
    for entry, (path, finding) in zip(results, run.findings, strict=True):
        assert rules[entry["ruleIndex"]]["id"] == entry["ruleId"]
        physical = entry["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        assert unquote(physical["artifactLocation"]["uri"]) == path
        text = (run.folder / path).read_bytes().decode()
        assert cut(text, physical["region"]) == finding["text"] == physical["region"]["snippet"]["text"]
        assert bool(entry.get("suppressions")) == (finding["accepted"] is not None)
        assert len(entry.get("fixes", [])) == len(finding["fixes"])
        for fix, wanted in zip(entry.get("fixes", []), finding["fixes"], strict=True):
            (change,) = fix["artifactChanges"]
            assert change["artifactLocation"] == physical["artifactLocation"]
            edits = [(as_range(one["deletedRegion"]), one["insertedContent"]["text"]) for one in change["replacements"]]
            assert edits == [(edit["range"], edit["new_text"]) for edit in wanted["edits"]]
        if finding["baseline_text"] is not None:
            (related,) = entry["relatedLocations"]
            assert related["physicalLocation"]["region"]["snippet"]["text"] == finding["baseline_text"]
    (invocation,) = run.sarif["invocations"]
    assert invocation["exitCode"] == case.status
    assert invocation["executionSuccessful"] == (case.status != 2)
    assert bool(invocation["toolExecutionNotifications"]) == (case.status == 2 or case.refusals > 0)


def as_range(region: dict[str, int]) -> dict[str, Any]:
    return {
        side: {"line": region[f"{side}Line"] - 1, "character": region[f"{side}Column"] - 1} for side in ("start", "end")
    }


def test_github(run: Run, case: Case) -> None:
    lines = run.texts["github"].splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::") and "group" not in line[:12]]
    assert run.texts["github"].count("\n") == len(run.texts["github"].split("\n")) - 1
    parsed = [COMMAND.fullmatch(line) for line in commands]
    assert all(parsed)
    about = [
        match["properties"]
        for match in parsed
        if match and not re.search("not (compared|valid)|refused", match["properties"])
    ]
    assert len(about) == len(run.findings)
    levels = {match["name"] for match in parsed if match}
    assert ("error" in levels) == (
        case.status > 0 or "incompatible" in run.texts["github"].partition("::group")[0]
    ) or (case.name == "accepted")
    for properties in about:
        assert re.fullmatch(
            r"file=[^,:]+,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?,title=Keepstate%3A [^,:]+.*", properties
        )
    assert not re.search(r"##\[", "\n".join(line for line in lines if not line.startswith("::")))
    assert sum(line.startswith("Keepstate: ") for line in lines) == 1


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("plain", "plain", "plain"),
        ("100%", "100%25", "100%25"),
        ("%0A", "%250A", "%250A"),
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("a,b:c", "a,b:c", "a%2Cb%3Ac"),
        ("::error::x", "::error::x", "%3A%3Aerror%3A%3Ax"),
    ],
)
def test_github_escapes(text: str, data: str, value: str) -> None:
    assert (escape_data(text), escape_property(text)) == (data, value)


def test_gitlab(run: Run, case: Case) -> None:
    issues = json.loads(run.texts["gitlab"])
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    about = [issue for issue in issues if issue["check_name"] not in GAPS]
    assert [issue["check_name"] for issue in about] == [finding["rule"] for _, finding in run.findings]
    assert bool(issues[: len(issues) - len(about)]) == (case.status == 2 or case.refusals > 0)
    assert any(issue["severity"] == "blocker" for issue in issues) == (case.status == 2)
    for issue in issues:
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["description"].isprintable()
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith("/")
    for issue, (path, finding) in zip(about, run.findings, strict=True):
        assert issue["location"]["path"] == path
        assert issue["location"]["lines"]["begin"] == finding["range"]["start"]["line"] + 1
        assert (issue["severity"] == "info") == (finding["accepted"] is not None or finding["verdict"] == "compatible")


def test_junit(run: Run, case: Case) -> None:
    root = run.junit
    suites = root.findall("testsuite")
    cases = root.findall("testsuite/testcase")
    for kind, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
        assert int(root.get(kind, "")) == len(root.findall(f"testsuite/{path}")), kind
        assert int(root.get(kind, "")) == sum(int(suite.get(kind, "")) for suite in suites)
    assert bool(root.findall(".//error")) == (case.status == 2)
    if case.status < 2:
        assert bool(root.findall(".//failure")) == (case.status == 1)
    states = {file["path"]: file["status"] for file in run.json["files"]}
    skipped = [one.get("classname") for one in cases if one.find("skipped") is not None]
    assert skipped == [path for path, status in states.items() if status in ("new", "deleted")]
    assert {suite.get("name") for suite in suites} - {"keepstate"} == set(states)
    reported = " ".join(text for one in cases for text in one.itertext())
    for _, finding in run.findings:
        assert finding["rule"] in reported


def test_markdown(run: Run, case: Case) -> None:
    text = run.texts["markdown"]
    assert len(text) <= LIMIT
    assert len(text.encode("utf-16-le")) // 2 <= LIMIT
    html = MarkdownIt("commonmark").enable("table").render(text)
    tags = set(re.findall(r"<(/?\w+)", html))
    ours = "a code details em h2 h3 li ol p pre strong summary table tbody td th thead tr ul".split()
    assert {tag.lstrip("/") for tag in tags} <= set(ours)
    assert html.count("<details>") == html.count("</details>") == text.count("\n<details>")
    rows = html.count("<tr>") - html.count("<thead>")
    assert rows == len(run.json["files"])
    assert html.count("<td") == 4 * rows
    # No user is mentioned, but in code, where no host looks.
    outside = re.sub(r"<(code|pre)>.*?</\1>", "", html, flags=re.DOTALL)
    assert not re.search(r"@\w", outside)
    for _, finding in run.findings:
        assert f"`{finding['rule']}`" in text or "did not fit" in text


def test_text(run: Run, case: Case) -> None:
    text = run.texts["text"]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    for _, finding in run.findings:
        assert f"[{finding['rule']}]" in text


def test_next_steps_come_with_all_that_is_not_compatible(run: Run, case: Case) -> None:
    for file in run.json["files"]:
        wanted = file["verdict"] != "compatible" and file["status"] == "compared"
        assert bool(file["next_steps"]) == wanted
        for guide in file["next_steps"]:
            assert list(guide) == ["platform", "title", "steps", "commands", "language"]
    wanted = any(file["next_steps"] for file in run.json["files"])
    for name in ("text", "github", "markdown"):
        assert ("Kubernetes operator" in run.texts[name]) == wanted, name
    if run.junit.findall(".//failure"):
        assert "Kubernetes operator" in run.texts["junit"]


def test_a_comment_that_would_be_too_long_says_what_it_left_out(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    paths = [f"jobs/{'long/' * 100}{number:04}.sql" for number in range(60)]
    before: dict[str, str | bytes] = dict.fromkeys(paths, JOB)
    after: dict[str, str | bytes | None] = {path: INCOMPATIBLE if path > paths[9] else b"\0" for path in paths}
    case = Case("many", before, after)
    run = Run(case, repository, tmp_path)
    text = run.texts["markdown"]
    assert LIMIT - 3_000 < len(text) <= LIMIT
    assert text.count("<details>") == text.count("</details>")
    shown = text.count("1. **incompatible**")
    (left_out,) = re.findall(r"^(\d+) findings did not fit in here", text, re.MULTILINE)
    assert shown + int(left_out) == 50
    in_table = len(re.findall(r"^\| jobs/", text, re.MULTILINE))
    (more,) = re.findall(r"^(\d+) more jobs are not in this table", text, re.MULTILINE)
    assert in_table + int(more) == 60
    assert text.count("\n* `jobs/") == 10
    assert "Realtime Compute" in text


JUNIT: dict[str, tuple[list[str], set[str], set[str]]] = {
    # Children in their order, required and allowed attributes, as the schema of Jenkins (junit-10.xsd of its plugin
    # xUnit, in its versions), GitLab's reader and junitxml have them in common.
    "testsuites": (["testsuite"], set(), {"name", "tests", "failures", "errors", "time"}),
    "testsuite": (
        ["properties", "testcase", "system-out", "system-err"],
        {"name", "tests", "failures", "errors"},
        {"name", "tests", "failures", "errors", "skipped", "time", "file"},
    ),
    "testcase": (
        ["skipped", "error", "failure", "system-out", "system-err"],
        {"name", "classname"},
        {"name", "classname", "time", "file", "line"},
    ),
    "failure": ([], {"message", "type"}, {"message", "type"}),
    "error": ([], {"message", "type"}, {"message", "type"}),
    "skipped": ([], set(), {"message"}),
    "system-out": ([], set(), set()),
}


def test_junit_has_the_form_that_readers_have_in_common(run: Run) -> None:
    root = run.junit
    assert root.tag == "testsuites"
    for element in root.iter():
        children, required, allowed = JUNIT[element.tag]
        places = [children.index(child.tag) for child in element]
        assert places == sorted(places), element.tag
        assert required <= set(element.attrib) <= allowed, element.tag
        for count in {"tests", "failures", "errors", "skipped"} & set(element.attrib):
            assert element.attrib[count].isdigit()


@pytest.mark.parametrize("more", [0, 1])
def test_a_description_is_as_long_as_github_takes_it(more: int) -> None:
    words = f"{'a ' * (sarif._LONGEST // 2 - 1)}bc{'d' * more}"
    found = sarif._first_words(f"## `rule`: Title\n\n*Kind*\n\n{words}\n\nMore.")
    assert len(words) == sarif._LONGEST + more
    assert len(found) <= sarif._LONGEST
    assert found == words if not more else found.endswith("a…")
