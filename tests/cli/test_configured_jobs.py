"""Configurations of jobs in ``keepstate.toml``, on both sides of a comparison, in real repositories."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from keepstate.text import LineIndex, Span
from keepstate_lsp.cli.main import main
from keepstate_lsp.config.file import Configuration, ConfigurationError
from keepstate_lsp.files.toml_places import toml_places
from repositories import GitRepository

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed for these versions alone

TOTALS = "INSERT INTO totals\nSELECT shop, SUM(amount) AS turnover FROM orders GROUP BY shop;\n"
HOURS = "INSERT INTO hours SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop, TUMBLE(placed, INTERVAL '1' HOUR);\n"
PARAMETERS = """\
engine-version = "vvr-8.0.11-flink-1.17"

[parameters]
"table.exec.state.ttl" = "1 d"   # a day

[[job]]
files = ["jobs/a*.fql"]
[job.parameters]
table.exec.mini-batch.enabled = true
"""
TTL, BATCHES = "table.exec.state.ttl", "table.exec.mini-batch.enabled"


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("COLUMNS", "100")
    repository.commit({"jobs/a.fql": TOTALS, "jobs/b.fql": TOTALS + HOURS, "keepstate.toml": PARAMETERS})
    return repository


class Ran:
    """The result of a command with ``--format json``."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        self.status = main([*arguments, "--format", "json"])
        captured = capsys.readouterr()
        self.errors = captured.err
        self.files: dict[str, dict[str, Any]] = {file["path"]: file for file in json.loads(captured.out)["files"]}

    @property
    def rules(self) -> dict[str, list[str]]:
        return {path: [finding["rule"] for finding in file["findings"]] for path, file in self.files.items()}


# ------------------------------------------------------------------------------------------------ places in TOML

SAMPLE = '''\
# A comment with = in it
files = ["a", # one
  "b]", { x = 1 }]
engine-version = "vvr-8" # another
inline = { "a.b" = "1 d", c.d = 2 , e = { f = true } }
[ parameters ]
"table.exec.\\u0073tate.ttl" = "1 = d"
table . exec.mini-batch.enabled = true
'single' = \'\'\'it's
x = 1\'\'\'
text = """a
b = 1 ] } \\""" """
date = 1979-05-27 07:32:00
[[job]]
files = ["q"]
[job.parameters]
k = "v"
[[job]]
parameters."k.x" = [1, 2, {a=1}]
[tool.keepstate.deep]
y=1'''


def test_places_of_entries() -> None:
    places = toml_places(SAMPLE)
    shown = {path: span.of(SAMPLE) for path, span in places.items()}
    assert shown["parameters", "table.exec.state.ttl"] == '"table.exec.\\u0073tate.ttl" = "1 = d"'
    assert shown["parameters", "table", "exec", "mini-batch", "enabled"] == "table . exec.mini-batch.enabled = true"
    assert shown["inline", "e", "f"] == "f = true"
    assert shown["job", 1, "parameters", "k.x"] == 'parameters."k.x" = [1, 2, {a=1}]'
    assert shown["job", 0] == "[[job]]"
    assert shown["tool", "keepstate", "deep", "y"] == "y=1"


def test_places_are_of_the_entries_that_tomllib_reads() -> None:
    def leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
        if isinstance(value, dict):
            return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
        if path == ("job",):
            return [leaf for index, inner in enumerate(value) for leaf in leaves(inner, (*path, index))]
        return [path]

    assert set(leaves(tomllib.loads(SAMPLE))) <= set(toml_places(SAMPLE))


@pytest.mark.parametrize("length", range(0, len(SAMPLE), 7))
def test_half_a_text_gives_places_inside_of_it(length: int) -> None:
    half = SAMPLE[:length]
    assert all(Span(0, len(half)).contains(span) for span in toml_places(half).values())


# ------------------------------------------------------------------------------------------------ what a file says


def test_later_tables_count_before_earlier_ones(tmp_path: Path) -> None:
    text = PARAMETERS + '[[job]]\nfiles = ["jobs/a.fql"]\nengine-version = "1.20"\nparameters = { "x" = 5 }\n'
    configuration = Configuration.parse(tmp_path / "keepstate.toml", text, "keepstate.toml")
    assert configuration is not None
    config = configuration.job_config(tmp_path / "jobs" / "a.fql")
    assert (config.engine_version, config.parameters) == ("1.20", {TTL: "1 d", BATCHES: "true", "x": "5"})
    assert [place and place.of(text) for place in map(config.place, (TTL, BATCHES, "x", "engine-version", "no"))] == [
        '"table.exec.state.ttl" = "1 d"',
        "table.exec.mini-batch.enabled = true",
        '"x" = 5',
        'engine-version = "1.20"',
        None,
    ]
    other = configuration.job_config(tmp_path / "jobs" / "b.fql")
    assert (other.engine_version, other.parameters) == ("vvr-8.0.11-flink-1.17", {TTL: "1 d"})
    by_hand = config.overridden("2.0", {TTL: "2 d"})
    assert (by_hand.engine_version, by_hand.parameters[TTL], by_hand.place(TTL)) == ("2.0", "2 d", None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("engine-version = 1.20", "engine-version must be a text"),
        ("[job]\nfiles = ['a']", "job must be an array of tables: [[job]]"),
        ("[[job]]", "job: files must be a list"),
        ("[[job]]\nfiles = 'a'", "job: files must be a list"),
        ("[[job]]\nfiles = ['a']\nengine = 'vvr'", "job: there is no setting 'engine'"),
        ("[[job]]\nfiles = ['a']\nparameters = 1", "job: parameters must be a table"),
        ("[parameters]\na = [1]", "the parameter a must be a text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match="^there: .*" + says.replace("[", r"\[").replace("]", r"\]")):
        Configuration.parse(tmp_path / "keepstate.toml", text, "there")


# ------------------------------------------------------------------------------------------------ check


def test_a_changed_parameter_is_found_at_its_line(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("keepstate.toml", PARAMETERS.replace('"1 d"', '"12 h"').replace("enabled = true", "enabled = false"))
    ran = Ran(capsys, "check")
    # No SQL changed, but the configurations of two jobs did.
    assert ran.rules == {
        "jobs/a.fql": ["setting-changed", "state-ttl-shortened"],
        "jobs/b.fql": ["state-ttl-shortened"],
    }
    assert ran.status == 1
    batches, ttl = ran.files["jobs/a.fql"]["findings"]
    assert (ttl["text"], ttl["range"]["start"]) == ("INSERT", {"line": 0, "character": 0})
    assert ttl["parameter"] == {
        "key": TTL,
        "current": {
            "path": "keepstate.toml",
            "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 31}},
            "text": '"table.exec.state.ttl" = "12 h"',
        },
        "baseline": {
            "path": "keepstate.toml",
            "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 30}},
            "text": '"table.exec.state.ttl" = "1 d"',
        },
    }
    assert batches["parameter"]["current"]["range"]["start"]["line"] == 8
    main(["check", "jobs/a.fql"])
    shown = capsys.readouterr().out
    head = jobs.git("rev-parse", "--short=7", "HEAD")
    assert "unknown[setting-changed] keepstate.toml:9:1\n" in shown
    assert '  4 │ "table.exec.state.ttl" = "12 h"   # a day\n' in shown
    assert f"was:  in line 4 of keepstate.toml in HEAD ({head})\n" in shown
    main(["check", "jobs/a.fql", "--quiet"])
    assert "\nkeepstate.toml:4:1: compatible[state-ttl-shortened]: time to live" in capsys.readouterr().out


def test_what_means_the_same_is_silent(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write(
        "keepstate.toml", "[parameters]\n" + PARAMETERS.partition("[parameters]\n")[2].replace('"1 d"', '"24 h"')
    )
    assert Ran(capsys, "check").rules == {}
    assert Ran(capsys, "check", "jobs").rules == {"jobs/a.fql": [], "jobs/b.fql": []}
    # Moved into the SQL it is the same, too.
    jobs.write("keepstate.toml", PARAMETERS.replace('"table.exec.state.ttl" = "1 d"', ""))
    jobs.write("jobs/b.fql", f"SET '{TTL}' = '86400 s';\n" + TOTALS + HOURS)
    assert Ran(capsys, "check", "jobs/b.fql").rules == {"jobs/b.fql": []}


def test_what_is_not_set_any_more_is_found_where_it_stood(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.write("keepstate.toml", PARAMETERS.replace('"table.exec.state.ttl" = "1 d"', "x = 1"))
    (finding,) = Ran(capsys, "check", "jobs/b.fql").files["jobs/b.fql"]["findings"]
    assert finding["parameter"]["current"] is None
    assert finding["parameter"]["baseline"]["text"] == '"table.exec.state.ttl" = "1 d"'
    main(["check", "jobs/b.fql"])
    shown = capsys.readouterr().out
    assert "keepstate.toml:3:1" in shown
    assert "  3 │ [parameters]\n    │ ------------\n" in shown
    # Without any configuration left there is but the query that feels it.
    (jobs.folder / "keepstate.toml").unlink()
    main(["check", "jobs/b.fql"])
    assert "unknown[state-ttl-changed] jobs/b.fql:1:1" in capsys.readouterr().out


def test_the_baseline_has_the_configuration_of_its_revision(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.commit({"keepstate.toml": PARAMETERS.replace("1 d", "2 d")})
    jobs.commit({"keepstate.toml": PARAMETERS.replace("1 d", "3 d")})
    changes = {
        against: [finding["message"].partition(":")[0].removeprefix("time to live of state ") for finding in findings]
        for against in ("HEAD", "HEAD~1", "HEAD~2", "merge-base:HEAD~1")
        for findings in [Ran(capsys, "check", "jobs/b.fql", "--against", against).files["jobs/b.fql"]["findings"]]
    }
    assert changes == {
        "HEAD": [],
        "HEAD~1": ["2 days -> 3 days"],
        "HEAD~2": ["1 day -> 3 days"],
        "merge-base:HEAD~1": ["2 days -> 3 days"],
    }


def test_renamed_jobs_and_files_without_a_past(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    # The [[job]] table names the file under its old name at the baseline, and under its new one today.
    (jobs.folder / "jobs/a.fql").rename(jobs.folder / "jobs/c.fql")
    jobs.write("keepstate.toml", PARAMETERS.replace("a*.fql", "c.fql"))
    assert Ran(capsys, "check", "jobs/c.fql").rules == {"jobs/c.fql": []}
    jobs.write("keepstate.toml", PARAMETERS)
    assert Ran(capsys, "check", "jobs/c.fql").rules == {"jobs/c.fql": ["setting-changed"]}
    # A nearer file that was not there before said nothing before.
    jobs.write("jobs/keepstate.toml", f'[parameters]\n"{TTL}" = "1 d"\n"{BATCHES}" = true\n')
    assert Ran(capsys, "check", "jobs/c.fql").rules == {"jobs/c.fql": []}


def test_index_and_revisions_have_files_of_their_own(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("keepstate.toml", PARAMETERS.replace("1 d", "2 d"))
    assert Ran(capsys, "check", "--staged", "jobs/b.fql").rules == {"jobs/b.fql": []}
    jobs.git("add", "--all")
    assert Ran(capsys, "check", "--staged", "jobs/b.fql").rules == {"jobs/b.fql": ["state-ttl-changed"]}
    assert Ran(capsys, "check", "--staged").rules["jobs/a.fql"] == ["state-ttl-changed"]
    jobs.commit()
    jobs.write("keepstate.toml", PARAMETERS)
    assert Ran(capsys, "check", "--current", "HEAD", "--against", "HEAD~1", "jobs/b.fql").rules == {
        "jobs/b.fql": ["state-ttl-changed"]
    }


def test_engine_versions(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("keepstate.toml", PARAMETERS.replace("vvr-8.0.11-flink-1.17", "vvr-8.0.12-flink-1.17"))
    assert Ran(capsys, "check", "jobs/b.fql").rules == {"jobs/b.fql": []}
    jobs.write("keepstate.toml", PARAMETERS.replace("vvr-8.0.11-flink-1.17", "vvr-11.1-flink-1.20"))
    ran = Ran(capsys, "check", "jobs/b.fql")
    assert ran.rules == {"jobs/b.fql": ["engine-version-changed", "group-window-across-engines"]}
    engine, window = ran.files["jobs/b.fql"]["findings"]
    assert engine["parameter"]["current"]["text"] == 'engine-version = "vvr-11.1-flink-1.20"'
    assert (window["parameter"], window["text"]) == (None, "TUMBLE(placed, INTERVAL '1' HOUR)")
    # What is said by hand counts before the file, for both sides unless one of them is named.
    assert Ran(capsys, "check", "jobs/b.fql", "--engine-version", "1.20").rules == {"jobs/b.fql": []}
    assert Ran(capsys, "check", "jobs/b.fql", "--baseline-engine-version", "1.20").rules == {"jobs/b.fql": []}


def test_parameters_by_hand_count_before_files(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("keepstate.toml", PARAMETERS.replace("1 d", "2 d"))
    assert Ran(capsys, "check", "jobs/b.fql", "--parameter", f"{TTL}=5 d").rules == {"jobs/b.fql": []}
    by_hand = Ran(capsys, "check", "jobs/b.fql", "--baseline-parameter", f"{TTL}=5 d").files["jobs/b.fql"]
    (finding,) = by_hand["findings"]
    assert (finding["rule"], finding["parameter"]["baseline"]) == ("state-ttl-shortened", None)
    assert finding["parameter"]["current"]["text"] == '"table.exec.state.ttl" = "2 d"'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"parameters = [", "is not TOML"),
        (b"engine = 7", "engine must be a text"),
        (b"\xff", "is not UTF-8 text"),
        (b"x = 1", "there is no setting 'x'"),
    ],
)
def test_a_wrong_file_on_either_side_is_a_problem(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], text: bytes, says: str
) -> None:
    jobs.commit({"keepstate.toml": text})
    jobs.write("keepstate.toml", PARAMETERS)
    ran = Ran(capsys, "check", "jobs")
    head = jobs.git("rev-parse", "--short=7", "HEAD")
    assert ran.status == 2
    assert {file["status"] for file in ran.files.values()} == {"not-compared"}
    assert ran.files["jobs/a.fql"]["reason"].startswith(f"keepstate.toml in HEAD ({head})")
    assert says in ran.files["jobs/a.fql"]["reason"] and says in ran.errors
    jobs.commit()
    jobs.write("keepstate.toml", text)
    assert main(["check", "jobs"]) == 2
    assert "keepstate.toml" in capsys.readouterr().err


def test_a_pinned_file_has_a_past_where_it_is_versioned(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    jobs.commit({"conf/prod.toml": f'[parameters]\n"{TTL}" = "1 d"\n'})
    pinned = jobs.write("conf/prod.toml", f'[parameters]\n"{TTL}" = "2 d"\n')
    assert Ran(capsys, "check", "jobs/a.fql", "--config", str(pinned)).rules == {"jobs/a.fql": ["state-ttl-changed"]}
    loose = tmp_path / "loose.toml"
    loose.write_text(f'[parameters]\n"{TTL}" = "2 d"\n', "utf-8")
    assert Ran(capsys, "check", "jobs/a.fql", "--config", str(loose)).rules == {"jobs/a.fql": []}


def test_pyproject(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    (jobs.folder / "keepstate.toml").unlink()
    table = (
        f'[project]\nname = "x"\n[tool.keepstate.parameters]\n"{TTL}" = "%s"\n[[tool.keepstate.job]]\nfiles = ["**"]\n'
    )
    jobs.commit({"pyproject.toml": table % "1 d"})
    jobs.write("pyproject.toml", table % "3 d")
    ran = Ran(capsys, "check")
    assert ran.rules == {"jobs/a.fql": ["state-ttl-changed"], "jobs/b.fql": ["state-ttl-changed"]}
    assert ran.files["jobs/a.fql"]["findings"][0]["parameter"]["current"]["path"] == "pyproject.toml"
    # Another change of a shared file concerns no job.
    jobs.write("pyproject.toml", (table % "1 d").replace('"x"', '"y"'))
    assert Ran(capsys, "check").rules == {}


def test_deployed_jobs_have_the_recorded_configuration(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deployed", "mark", "jobs/a.fql", "--by", "Ada"]) == 0
    jobs.commit({"keepstate.toml": PARAMETERS.replace("1 d", "2 d").replace("flink-1.17", "flink-1.18")})
    capsys.readouterr()
    ran = Ran(capsys, "check", "jobs/a.fql", "--against", "deployed")
    assert ran.rules == {"jobs/a.fql": ["engine-version-changed", "state-ttl-changed"]}
    assert ran.files["jobs/a.fql"]["findings"][1]["parameter"]["baseline"] is None


# ------------------------------------------------------------------------------------------------ diff and plan


def test_two_files_by_their_own_configurations(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("former/job.fql", TOTALS)
    # One job in two files of one folder, or beside no configuration of its own: the configurations are equal.
    assert Ran(capsys, "diff", "former/job.fql", "jobs/a.fql").rules == {"jobs/a.fql": []}
    jobs.write("former/keepstate.toml", f'[parameters]\n"{TTL}" = "2 h"\n')
    ran = Ran(capsys, "diff", "former/job.fql", "jobs/a.fql")
    assert ran.rules == {"jobs/a.fql": ["setting-changed", "state-ttl-changed"]}
    assert ran.files["jobs/a.fql"]["findings"][1]["parameter"]["baseline"]["path"] == "former/keepstate.toml"
    assert main(["plan", "jobs/a.fql"]) == 0
    assert "1 day" in capsys.readouterr().out


def test_pairs_have_parameters_for_each_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pair = {"id": 1, "baseline": TOTALS, "current": TOTALS, "parameters": {TTL: "1 d", BATCHES: True}}
    other = {**pair, "baseline_parameters": {TTL: "2 d", BATCHES: False}}
    pairs.write_text(f"{json.dumps(pair)}\n{json.dumps(other)}\n", "utf-8")
    main(["diff", "--pairs", str(pairs)])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[finding["rule"] for finding in answer["files"][0]["findings"]] for answer in answers] == [
        [],
        ["setting-changed", "state-ttl-shortened"],
    ]


def test_lines_are_counted_as_editors_do(tmp_path: Path) -> None:
    text = '# \u2028 one line\r\n[parameters]\r\n"k" = "🛒" # cart\r\n'
    configuration = Configuration.parse(tmp_path / "keepstate.toml", text, "keepstate.toml")
    assert configuration is not None
    place = configuration.job_config(tmp_path / "a.sql").place("k")
    assert place is not None and LineIndex(text).position(place.start).line == 2
    assert place.of(text) == '"k" = "🛒"'


@pytest.mark.parametrize("configured", ['engine = "flink"', 'engine = "flink"\njobs = "script"'])
def test_the_unit_of_today_counts_for_the_baseline(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], configured: str
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.commit({"jobs/a.fql": TOTALS + HOURS, "keepstate.toml": 'engine = "flink"\njobs = "each-insert"\n'})
    Path("keepstate.toml").write_text(f"{configured}\n")
    Path("jobs/a.fql").write_text(f"BEGIN STATEMENT SET;\n{TOTALS}{HOURS}END;\n")
    joined = ["jobs-joined"] if "jobs" not in configured else []
    assert Ran(capsys, "check").rules.get("jobs/a.fql", []) == joined
