"""Git repositories with years of changes of Flink SQL jobs, made up: something to try `keepstate audit` on.

    python examples/job_histories.py FOLDER [--pairs 100000] [--teams 10] [--forks 9] [--seed 1]

Each team has a bare repository and forks of it that went their own way later. People add metrics, change windows and
keys, reformat, revert, rename, work on branches and merge them, slip and mend, and set parameters in keepstate.toml.
The subject of a commit says what was done and, where it is one change of one job, what it costs: `Widen the window
[incompatible]`. Equal arguments make equal repositories, down to the hashes of the commits. Needs git, no network.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

FIRST_SECOND = 1_640_995_200
"""The first of January 2022."""
YEARS = 4
PEOPLE = ("Ada", "Barbara", "Edsger", "Grace", "Niklaus", "Tony")
OWN_SHARE = 0.06
"""Of the history of a fork."""
DOMAINS = {
    "orders": ("order_id", "customer_id", "region", "amount", "discount", "quantity"),
    "clicks": ("click_id", "user_id", "page", "dwell", "slot", "depth"),
    "payments": ("payment_id", "account_id", "channel", "amount", "fee", "points"),
    "sensors": ("reading_id", "device_id", "site", "temperature", "humidity", "voltage"),
    "rides": ("ride_id", "driver_id", "city", "fare", "distance", "duration"),
}
"""Tables: an id, an entity, a category, three numbers."""
FUNCTIONS = ("SUM", "MAX", "MIN", "AVG", "COUNT")


@dataclass(frozen=True)
class Job:
    """One job, as far as people change it."""

    name: str
    domain: str
    shape: str
    metrics: tuple[tuple[str, str], ...]
    """Functions with their columns."""
    keys: tuple[str, ...]
    size: int = 10
    """Minutes of the window, of the bound of a join; the N of a Top-N."""
    threshold: int = 0
    servers: str = "broker-1:9092"
    comment: str = ""
    broken: bool = False
    wide: bool = False
    """Another layout of the text."""

    @property
    def columns(self) -> tuple[str, ...]:
        return DOMAINS[self.domain]

    def sql(self) -> str:
        body = {"window": self._window, "group": self._group, "rank": self._rank, "join": self._join}[self.shape]()
        text = f"{self._head()}\n\nINSERT INTO {self.name}_out\n{body};\n"
        return text.replace("INSERT INTO", "INSRT INTO") if self.broken else text

    def _head(self) -> str:
        identity, entity, category, *numbers = self.columns
        types = [f"{identity} STRING", f"{entity} STRING", f"{category} STRING", *(f"{one} BIGINT" for one in numbers)]
        lines = ",\n  ".join([*types, "ts TIMESTAMP(3)", "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"])
        options = f"'connector' = 'kafka', 'topic' = '{self.domain}', 'properties.bootstrap.servers' = '{self.servers}'"
        comment = f"-- {self.name}: {self.comment}\n" if self.comment else ""
        return f"{comment}CREATE TABLE {self.domain} (\n  {lines}\n) WITH ({options});"

    def _list(self, items: list[str]) -> str:
        return (",\n         " if self.wide else ", ").join(items)

    def _metrics(self) -> list[str]:
        return [f"{function}({column}) AS {function.lower()}_{column}" for function, column in self.metrics]

    def _where(self) -> str:
        return f"\nWHERE {self.columns[3]} > {self.threshold}" if self.threshold else ""

    def _window(self) -> str:
        items = self._list([*self.keys, "window_start", *self._metrics()])
        window = f"TABLE(TUMBLE(TABLE {self.domain}, DESCRIPTOR(ts), INTERVAL '{self.size}' MINUTES))"
        keys = ", ".join([*self.keys, "window_start", "window_end"])
        return f"SELECT {items}\nFROM {window}{self._where()}\nGROUP BY {keys}"

    def _group(self) -> str:
        items = self._list([*self.keys, *self._metrics()])
        return f"SELECT {items}\nFROM {self.domain}{self._where()}\nGROUP BY {', '.join(self.keys)}"

    def _rank(self) -> str:
        number = self.columns[3]
        over = f"PARTITION BY {', '.join(self.keys)} ORDER BY {number} DESC"
        inner = f"SELECT *, ROW_NUMBER() OVER ({over}) AS place FROM {self.domain}{self._where()}"
        return f"SELECT {', '.join(self.keys)}, {number}, place\nFROM (\n  {inner}\n)\nWHERE place <= {self.size}"

    def _join(self) -> str:
        entity, number = self.columns[1], self.columns[4]
        bound = f"b.ts BETWEEN a.ts AND a.ts + INTERVAL '{self.size}' MINUTE"
        return (
            f"SELECT a.{entity}, a.{number}, b.{number} AS next_{number}\n"
            f"FROM {self.domain} a JOIN {self.domain} b ON a.{entity} = b.{entity} AND {bound}"
        )


Edit = Callable[[Job, random.Random], "tuple[Job, str] | None"]


def _comment(job: Job, chance: random.Random) -> tuple[Job, str]:
    words = chance.choice(("reviewed", "see the runbook", "owned by the platform", "do not restart on Fridays"))
    return replace(job, comment=f"{words}, {chance.randrange(10_000)}"), "Say more about it [compatible]"


def _layout(job: Job, _: random.Random) -> tuple[Job, str] | None:
    if job.shape not in ("window", "group"):
        return None
    return replace(job, wide=not job.wide), "Reformat [compatible]"


def _servers(job: Job, chance: random.Random) -> tuple[Job, str]:
    return replace(job, servers=f"broker-{chance.randrange(2, 2000)}:9092"), "Move to another broker [compatible]"


def _add_metric(job: Job, chance: random.Random) -> tuple[Job, str] | None:
    free = [pair for pair in product(FUNCTIONS, job.columns[3:]) if pair not in job.metrics]
    if job.shape not in ("window", "group") or not free or len(job.metrics) > 8:
        return None
    return replace(job, metrics=(*job.metrics, chance.choice(free))), "Add a metric [partial]"


def _drop_metric(job: Job, chance: random.Random) -> tuple[Job, str] | None:
    if job.shape not in ("window", "group") or len(job.metrics) < 3:
        return None
    gone = chance.randrange(len(job.metrics))
    return replace(job, metrics=job.metrics[:gone] + job.metrics[gone + 1 :]), "Drop a metric [compatible]"


def _size(job: Job, chance: random.Random) -> tuple[Job, str] | None:
    if job.shape == "group":
        return None
    size = chance.choice([size for size in (1, 2, 3, 5, 6, 10, 12, 15, 20, 30) if size != job.size])
    words = {"window": "Change the window", "rank": "Change the length of the ranking", "join": "Change the bound"}
    cost = " [incompatible]" if job.shape == "window" else ""
    return replace(job, size=size), f"{words[job.shape]}{cost}"


def _keys(job: Job, _: random.Random) -> tuple[Job, str] | None:
    if job.shape == "join":
        return None
    entity, category = job.columns[1:3]
    keys = (entity,) if len(job.keys) > 1 else (entity, category)
    return replace(job, keys=keys), f"{'Drop' if len(job.keys) > 1 else 'Add'} a key [incompatible]"


def _order(job: Job, _: random.Random) -> tuple[Job, str] | None:
    if job.shape not in ("window", "group") or len(job.keys) < 2:
        return None
    return replace(job, keys=job.keys[::-1]), "Tidy up the keys [incompatible]"


def _replace_metric(job: Job, chance: random.Random) -> tuple[Job, str] | None:
    free = [pair for pair in product(FUNCTIONS, job.columns[3:]) if pair not in job.metrics]
    if job.shape not in ("window", "group") or not free:
        return None
    metrics = list(job.metrics)
    metrics[chance.randrange(1, len(metrics))] = chance.choice(free)
    return replace(job, metrics=tuple(metrics)), "Measure something else"


def _threshold(job: Job, chance: random.Random) -> tuple[Job, str] | None:
    if job.shape == "join":
        return None
    return replace(job, threshold=chance.randrange(1, 500)), "Filter otherwise"


def _slip(job: Job, _: random.Random) -> tuple[Job, str]:
    return replace(job, broken=True), "Hurry [not-compared]"


EDITS: tuple[tuple[Edit, int], ...] = (
    (_comment, 22),
    (_layout, 10),
    (_servers, 16),
    (_add_metric, 18),
    (_drop_metric, 8),
    (_size, 10),
    (_keys, 5),
    (_order, 5),
    (_replace_metric, 4),
    (_threshold, 10),
    (_slip, 1),
)
"""The edits that people make, with their frequencies."""


@dataclass
class History:
    """The commits of a repository, as a stream for git."""

    chance: random.Random
    seconds: float
    """Between two commits."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """By path."""
    former: dict[str, Job] = field(default_factory=dict)
    hours: int = 0
    """For which state is kept."""
    pairs: int = 0
    time: float = FIRST_SECOND
    lines: list[bytes] = field(default_factory=list)
    marks: int = 0
    tip: int = 0

    def clone(self, chance: random.Random) -> History:
        """A fork: the same so far."""
        return replace(self, chance=chance, jobs=dict(self.jobs), former=dict(self.former), lines=list(self.lines))

    def grow(self, pairs: int) -> None:
        """Go on until there are so many changes from one version of a job to the next on the main line."""
        if not self.jobs:
            self._begin()
        while self.pairs < pairs:
            self._step()

    def _begin(self) -> None:
        files: dict[str, str] = {"README.md": "# Jobs\n"}
        for number in range(24):
            domain = self.chance.choice(list(DOMAINS))
            shape = self.chance.choice(("window", "window", "window", "group", "group", "rank", "join"))
            columns = DOMAINS[domain]
            metrics = (("COUNT", columns[0]), ("SUM", columns[3]))
            job = Job(f"{domain}_{shape}_{number}", domain, shape, metrics, columns[1:2])
            path = f"jobs/{domain}/{job.name}.sql"
            self.jobs[path] = job
            files[path] = job.sql()
        self._commit("First jobs", files)

    def _step(self) -> None:
        kind = self.chance.choices(("edit", "revert", "rename", "merge", "parameter"), (84, 6, 3, 6.7, 0.3))[0]
        {
            "edit": self._edit,
            "revert": self._revert,
            "rename": self._rename,
            "merge": self._merge,
            "parameter": self._parameter,
        }[kind]()

    def _edit(self) -> None:
        path, job, subject = self._edited(self._path())
        self._put(path, job, subject)

    def _path(self) -> str:
        # A few jobs change much more often than the others.
        paths = sorted(self.jobs)
        return paths[min(int(self.chance.expovariate(5) * len(paths)), len(paths) - 1)]

    def _edited(self, path: str) -> tuple[str, Job, str]:
        job = self.jobs[path]
        if job.broken:
            return path, replace(job, broken=False), "Mend [not-compared]"
        while True:
            edit = self.chance.choices([edit for edit, _ in EDITS], [weight for _, weight in EDITS])[0]
            done = edit(job, self.chance)
            if done is not None:
                return path, done[0], done[1]

    def _put(self, path: str, job: Job, subject: str) -> None:
        before = self.former[path] = self.jobs[path]
        self.jobs[path] = job
        self._commit(subject, {path: job.sql()})
        self.pairs += job.sql() != before.sql()

    def _revert(self) -> None:
        path = self._path()
        former = self.former.get(path)
        if former is not None and former != self.jobs[path]:
            self._put(path, former, "Revert")

    def _rename(self) -> None:
        path = self._path()
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".sql").partition(".v")[0]
        target = f"{folder}/{stem}.v{self.chance.randrange(1000)}.sql"
        if target in self.jobs:
            return
        job = self.jobs.pop(path)
        self.jobs[target] = job
        self.former.pop(path, None)
        self._commit("Rename [compatible]", {target: job.sql()}, gone=path)
        self.pairs += 1

    def _merge(self) -> None:
        """Two changes of a job on a branch, and one of another job beside them."""
        path = self._path()
        others = [other for other in sorted(self.jobs) if other != path]
        base, before = self.tip, self.jobs[path]
        for _ in range(2):
            _, job, subject = self._edited(path)
            self.jobs[path] = job
            self._commit(subject, {path: job.sql()}, branch=True)
        side, after = self.tip, self.jobs[path]
        self.tip = base
        self.jobs[path] = before
        self._put(*self._edited(self.chance.choice(others)))
        self.former[path], self.jobs[path] = before, after
        self._commit("Merge", {path: after.sql()}, merged=side)
        self.pairs += after.sql() != before.sql()

    def _parameter(self) -> None:
        hours = self.chance.choice([hours for hours in (12, 24, 36, 48, 72) if hours != self.hours])
        text = f'[parameters]\n"table.exec.state.ttl" = "{hours} h"\n'
        self._commit("Keep state for another time", {"keepstate.toml": text})
        self.hours = hours
        # It is one for every job.
        self.pairs += len(self.jobs)

    def _commit(
        self, subject: str, files: dict[str, str], *, gone: str = "", branch: bool = False, merged: int = 0
    ) -> None:
        self.marks += 1
        self.time += self.chance.uniform(0.2, 1.8) * self.seconds
        who = f"{self.chance.choice(PEOPLE)} <people@example.com> {int(self.time)} +0000"
        head = [f"commit refs/heads/{'topic' if branch else 'main'}", f"mark :{self.marks}", f"committer {who}"]
        self.lines.append("\n".join([*head, *_data(subject)]).encode())
        if self.tip:
            self.lines.append(f"from :{self.tip}".encode())
        if merged:
            self.lines.append(f"merge :{merged}".encode())
        if gone:
            self.lines.append(f"D {gone}".encode())
        for path, text in files.items():
            self.lines.append("\n".join([f"M 100644 inline {path}", *_data(text)]).encode())
        self.tip = self.marks

    def write(self, folder: Path) -> None:
        """Make it a bare repository."""
        folder.mkdir(parents=True)
        _git(folder, "init", "--quiet", "--bare", "--initial-branch=main")
        stream = b"\n".join(self.lines) + b"\nreset refs/heads/topic\nfrom 0000000000000000000000000000000000000000\n"
        _git(folder, "fast-import", "--quiet", "--done", given=b"feature done\n" + stream + b"done\n")


def _data(text: str) -> Iterator[str]:
    yield f"data {len(text.encode())}"
    yield text


def _git(folder: Path, *arguments: str, given: bytes = b"") -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], input=given, check=True)


def repositories(pairs: int, teams: int, forks: int, seed: int) -> Iterator[tuple[str, History]]:
    """Names and histories, with ``pairs`` changes of jobs in all of them."""
    whole = teams * (forks + 1)
    sizes = [pairs // whole + (number < pairs % whole) for number in range(whole)]
    for team in range(teams):
        name = f"team-{team + 1:02}"
        size = sizes[team * (forks + 1)]
        own = max(int(size * OWN_SHARE), 1)
        base = History(random.Random(f"{seed} {name}"), YEARS * 365 * 86400 / max(size, 1))
        base.grow(size - own)
        for fork in range(forks + 1):
            history = base.clone(random.Random(f"{seed} {name} {fork}"))
            history.grow(sizes[team * (forks + 1) + fork])
            yield f"{name}/{'jobs' if not fork else f'fork-{fork}'}.git", history


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=100_000, help="default: %(default)s")
    parser.add_argument("--teams", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--forks", type=int, default=9, help="of each team's repository (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    options = parser.parse_args()
    if options.folder.exists() and any(options.folder.iterdir()):
        print(f"{options.folder} is not empty.", file=sys.stderr)
        return 2
    made = 0
    for name, history in repositories(options.pairs, options.teams, options.forks, options.seed):
        history.write(options.folder / name)
        made += history.pairs
        print(f"\r{made:,} changes", end="", flush=True)
    print()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
