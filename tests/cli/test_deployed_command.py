"""keepstate deployed, and comparing with what is deployed."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate_lsp.baselines import Baseline, BaselineReader, BaselineSpec, NoBaseline, Reason
from keepstate_lsp.baselines.deployments import Deployment, Deployments
from keepstate_lsp.baselines.git.objects import Objects
from keepstate_lsp.baselines.git.process import GitProcess
from keepstate_lsp.cli.main import main
from repositories import GitRepository

REF = "refs/keepstate/deployed/production"
DEPLOYED = BaselineSpec.parse("deployed")


@pytest.fixture
def job(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    repository.commit({"jobs/a.sql": JOB})
    return repository


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main([*arguments]) == status
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, str]:
    main(["check", *arguments, "--format", "json"])
    return {
        entry["path"]: entry["verdict"] if entry["status"] == "compared" else entry["status"]
        for entry in json.loads(capsys.readouterr().out)["files"]
    }


class TestMark:
    def test_the_deployed_text_is_the_baseline_whatever_is_committed_later(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql")
        job.commit({"jobs/a.sql": PARTIAL})
        assert checked(capsys) == {}
        assert checked(capsys, "--against", "deployed") == {"jobs/a.sql": "partial"}
        job.write("jobs/a.sql", INCOMPATIBLE)
        assert checked(capsys, "--against", "deployed", "jobs/a.sql") == {"jobs/a.sql": "incompatible"}
        job.write("jobs/a.sql", JOB)
        assert checked(capsys, "--against", "deployed") == {"jobs/a.sql": "unchanged"}

    def test_record(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        options = ["--engine-version", "vvr-8.0.11-flink-1.17", "--parameter", "a.b=c", "--savepoint", "oss://x/1"]
        run(capsys, "deployed", "mark", "jobs/a.sql", *options)
        record = json.loads(run(capsys, "deployed", "show", "jobs/a.sql", "--format", "json"))
        assert record["commit"] == job.git("rev-parse", "HEAD")
        assert record["blob"] == job.git("rev-parse", "HEAD:jobs/a.sql")
        assert record["engine_version"] == "vvr-8.0.11-flink-1.17"
        assert (record["parameters"], record["savepoint"]) == ({"a.b": "c"}, "oss://x/1")
        text = run(capsys, "deployed", "show", "jobs/a.sql")
        assert "vvr-8.0.11-flink-1.17" in text and "a.b = c" in text and "oss://x/1" in text
        assert run(capsys, "deployed", "show", "jobs/a.sql", "--sql") == JOB

    def test_what_was_never_committed_is_recorded_all_the_same(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.write("jobs/a.sql", PARTIAL)
        assert "never committed" in run(capsys, "deployed", "mark", "jobs/a.sql")
        assert run(capsys, "deployed", "show", "jobs/a.sql", "--sql") == PARTIAL
        assert json.loads(run(capsys, "deployed", "list", "--format", "json"))["deployments"][0]["commit"] is None

    def test_environments_are_apart(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql", "--environment", "staging")
        assert "staging" in run(capsys, "deployed", "list")
        assert checked(capsys, "--against", "deployed:staging") == {"jobs/a.sql": "unchanged"}
        assert checked(capsys, "--against", "deployed", "jobs/a.sql") == {"jobs/a.sql": "not-compared"}

    def test_all_or_nothing(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        assert "does not exist" in run(capsys, "deployed", "mark", "jobs/a.sql", "jobs/b.sql", status=2)
        assert run(capsys, "deployed", "list") == ""

    def test_neither_index_nor_work_tree_nor_branch_is_touched(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.write("jobs/a.sql", PARTIAL)
        before = (job.git("status", "--porcelain"), job.git("rev-parse", "HEAD"))
        run(capsys, "deployed", "mark", "jobs/a.sql")
        assert (job.git("status", "--porcelain"), job.git("rev-parse", "HEAD")) == before

    def test_a_machine_without_a_name_may_mark(
        self, job: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for role in ("AUTHOR", "COMMITTER"):
            for part in ("NAME", "EMAIL"):
                monkeypatch.delenv(f"GIT_{role}_{part}", raising=False)
        job.git("config", "user.useConfigOnly", "true")
        run(capsys, "deployed", "mark", "jobs/a.sql", "--by", "pipeline 17")
        assert "by pipeline 17" in run(capsys, "deployed", "show", "jobs/a.sql")

    def test_odd_paths(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        name = 'jobs/été "q" 1.sql'
        job.commit({name: JOB})
        run(capsys, "deployed", "mark", name)
        job.write(name, PARTIAL)
        assert checked(capsys, "--against", "deployed", name) == {name: "partial"}


class TestLife:
    def test_renamed_since(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql")
        job.git("mv", "jobs/a.sql", "jobs/b.sql")
        job.commit({"jobs/b.sql": PARTIAL})
        assert checked(capsys, "--against", "deployed") == {"jobs/b.sql": "partial"}

    def test_deleted_and_new_files(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql")
        (job.folder / "jobs/a.sql").unlink()
        other = "CREATE TABLE t (x INT) WITH ('connector' = 'print');\nINSERT INTO t SELECT 1;\n"
        job.commit({"jobs/other.sql": other})
        assert checked(capsys, "--against", "deployed") == {"jobs/a.sql": "deleted", "jobs/other.sql": "new"}

    def test_unmark(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql")
        run(capsys, "deployed", "unmark", "jobs/a.sql")
        assert run(capsys, "deployed", "list") == ""
        assert "not recorded" in run(capsys, "deployed", "unmark", "jobs/a.sql", status=2)

    def test_list_says_what_differs_here(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql")
        assert run(capsys, "deployed", "list").splitlines()[1].endswith(" same")
        job.write("jobs/a.sql", PARTIAL)
        assert run(capsys, "deployed", "list").splitlines()[1].endswith(" differs")

    def test_a_damaged_record_is_no_silence(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        run(capsys, "deployed", "mark", "jobs/a.sql")
        process = GitProcess(job.folder)
        bad = process.run("hash-object", "-w", "--stdin", stdin=b"no JSON").strip()
        index = {"GIT_INDEX_FILE": str(job.folder / ".git" / "other-index")}
        process.run("update-index", "--add", "--cacheinfo", f"100644,{bad},records/jobs/a.sql.json", environment=index)
        tree = process.run("write-tree", environment=index).strip()
        job.git("update-ref", REF, job.git("commit-tree", tree, "-m", "x"))
        assert "cannot be read" in run(capsys, "deployed", "show", "jobs/a.sql", status=2)
        assert checked(capsys, "--against", "deployed", "jobs/a.sql") == {"jobs/a.sql": "not-compared"}


class TestTravel:
    def test_bare_clone_marks_by_commit_and_pushes(
        self, job: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bare = tmp_path / "build.git"
        job.git("clone", "--quiet", "--bare", str(job.folder), str(bare))
        monkeypatch.chdir(bare)
        assert "--commit" in run(capsys, "deployed", "mark", "jobs/a.sql", status=2)
        run(capsys, "deployed", "mark", "jobs/a.sql", "--commit", "main")
        assert "jobs/a.sql" in run(capsys, "deployed", "list")
        job.git("-C", str(bare), "push", "--quiet", "origin", REF)
        monkeypatch.chdir(job.folder)
        job.write("jobs/a.sql", PARTIAL)
        assert checked(capsys, "--against", "deployed") == {"jobs/a.sql": "partial"}

    def test_two_clones_that_marked_are_merged_file_by_file(
        self, job: GitRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job.commit({"jobs/b.sql": JOB})
        clone = GitRepository(tmp_path / "clone", str(tmp_path / "clone"))
        clone.git("remote", "add", "origin", str(job.folder))
        clone.git("pull", "--quiet", "origin", "main")
        run(capsys, "deployed", "mark", "jobs/a.sql")
        monkeypatch.chdir(clone.folder)
        run(capsys, "deployed", "mark", "jobs/b.sql")
        clone.git("fetch", "--quiet", "origin", REF)
        assert "1 file taken over" in run(capsys, "deployed", "merge", "FETCH_HEAD")
        listed = json.loads(run(capsys, "deployed", "list", "--format", "json"))["deployments"]
        assert [entry["path"] for entry in listed] == ["jobs/a.sql", "jobs/b.sql"]
        assert "0 files taken over" in run(capsys, "deployed", "merge", "FETCH_HEAD")
        # A merge is a descendant of both, so that it can be pushed.
        clone.git("push", "--quiet", "origin", REF)

    def test_the_later_mark_wins(self, job: GitRepository) -> None:
        records = Deployments(Objects(GitProcess(job.folder)))
        blobs = [records.store(text.encode()) for text in (JOB, PARTIAL)]
        early, late = (
            Deployment("a.sql", blob, None, marked_at=f"2026-01-0{day}T00:00:00Z") for day, blob in enumerate(blobs, 1)
        )
        records.mark("one", [late])
        records.mark("two", [early])
        assert records.merge("two", "refs/keepstate/deployed/one") == 1
        assert records.find("two", "a.sql") == late
        records.mark("three", [early])
        assert records.merge("one", "refs/keepstate/deployed/three") == 0
        assert records.find("one", "a.sql") == late

    def test_nothing_recorded_says_how_to_get_it(self, job: GitRepository) -> None:
        job.git("remote", "add", "origin", "https://example.com/x.git")
        with BaselineReader() as reader:
            found = reader.read(job.folder / "jobs/a.sql", DEPLOYED)
        assert isinstance(found, NoBaseline)
        assert found.reason is Reason.NOT_DEPLOYED
        assert found.mend == "git fetch origin 'refs/keepstate/deployed/*:refs/keepstate/deployed/*'"


def test_many_writers_at_once_lose_nothing(job: GitRepository) -> None:
    records = Deployments(Objects(GitProcess(job.folder)))
    blob = records.store(JOB.encode())
    failures: list[BaseException] = []

    def mark(number: int) -> None:
        try:
            Deployments(Objects(GitProcess(job.folder))).mark("production", [Deployment(f"{number}.sql", blob, None)])
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must hear of it
            failures.append(error)

    threads = [threading.Thread(target=mark, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(records.all("production")) == [f"{number}.sql" for number in range(6)]


def test_a_moved_mark_changes_the_fingerprint(job: GitRepository) -> None:
    path = job.folder / "jobs/a.sql"
    with BaselineReader() as reader:
        before = reader.state(path, DEPLOYED)
        assert reader.state(path, DEPLOYED) == before
        records = Deployments(Objects(GitProcess(job.folder)))
        records.mark("production", [Deployment("jobs/a.sql", records.store(JOB.encode()), None)])
        assert reader.state(path, DEPLOYED) != before
        found = reader.read(path, DEPLOYED)
    assert isinstance(found, Baseline)
    assert found.deployment is not None and found.text == JOB


PARAMETERS = '[parameters]\n"pipeline.max-parallelism" = {}\n'


class TestDeployStep:
    """The steps of a pipeline behind a deployment: another clone, often a shallow or a bare one, that pushes."""

    @pytest.fixture
    def central(self, job: GitRepository, tmp_path: Path) -> str:
        job.commit({"keepstate.toml": PARAMETERS.format(128)})
        job.git("clone", "--quiet", "--bare", job.folder.as_uri(), str(tmp_path / "central.git"))
        return (tmp_path / "central.git").as_uri()

    def clone(self, central: str, folder: Path, *options: str) -> GitRepository:
        GitRepository(folder.parent / "elsewhere").git("clone", "--quiet", *options, central, str(folder))
        clone = GitRepository.__new__(GitRepository)
        clone.folder, clone._commits = folder, 0
        return clone

    def test_a_shallow_clone_marks_and_pushes(
        self,
        central: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        clone = self.clone(central, tmp_path / "one", "--depth", "1")
        monkeypatch.chdir(clone.folder)
        run(capsys, "deployed", "mark", "jobs/a.sql")
        clone.git("push", "--quiet", "origin", REF)
        reader = self.clone(central, tmp_path / "reader")
        monkeypatch.chdir(reader.folder)
        reader.git("fetch", "--quiet", "origin", f"{REF}:{REF}")
        record = json.loads(run(capsys, "deployed", "show", "jobs/a.sql", "--format", "json"))
        assert record["parameters"] == {"pipeline.max-parallelism": "128"}
        assert run(capsys, "deployed", "show", "jobs/a.sql", "--sql") == JOB

    def test_two_deployments_at_once_lose_neither(
        self,
        central: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        one, other = self.clone(central, tmp_path / "one"), self.clone(central, tmp_path / "other", "--depth", "1")
        for clone, name in ((one, "jobs/a.sql"), (other, "keepstate.toml")):
            monkeypatch.chdir(clone.folder)
            run(capsys, "deployed", "mark", name)
        one.git("push", "--quiet", "origin", REF)
        with pytest.raises(AssertionError, match="rejected"):
            other.git("push", "--quiet", "origin", REF)
        other.git("fetch", "--quiet", "origin", REF)
        assert run(capsys, "deployed", "merge", "FETCH_HEAD") == "1 file taken over from FETCH_HEAD\n"
        other.git("push", "--quiet", "origin", REF)
        listed = json.loads(run(capsys, "deployed", "list", "--format", "json"))["deployments"]
        assert [entry["path"] for entry in listed] == ["jobs/a.sql", "keepstate.toml"]

    def test_a_bare_clone_takes_text_and_parameters_from_the_commit(
        self,
        job: GitRepository,
        central: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        bare = self.clone(central, tmp_path / "bare", "--bare")
        monkeypatch.chdir(bare.folder)
        run(capsys, "deployed", "mark", "jobs/a.sql", "--commit", "HEAD")
        record = json.loads(run(capsys, "deployed", "show", "jobs/a.sql", "--format", "json"))
        assert record["parameters"] == {"pipeline.max-parallelism": "128"}
        assert record["commit"] == job.git("rev-parse", "HEAD")

    def test_a_commit_brings_its_own_parameters(self, job: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
        job.commit({"keepstate.toml": PARAMETERS.format(128)})
        job.write("keepstate.toml", PARAMETERS.format(256))
        for options, expected in ((["--commit", "HEAD"], "128"), (["--commit", "HEAD~"], None), ([], "256")):
            run(capsys, "deployed", "mark", "jobs/a.sql", *options)
            record = json.loads(run(capsys, "deployed", "show", "jobs/a.sql", "--format", "json"))
            assert record["parameters"].get("pipeline.max-parallelism") == expected
