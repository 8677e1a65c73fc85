"""``PLAN.md``: a cutover as a page that people review, and follow step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keepstate.cutover.cutover_plan import CLEAN, NEW, SHADOW, Approach, CutoverPlan, PipelinePlan, Share
from keepstate.cutover.past.checks import Status
from keepstate.cutover.positions import Start
from keepstate.cutover.times import Order, length_words, sql_time
from keepstate.report import Effect, Verdict
from keepstate_lsp.cli.commands.cutover.markdown_parts import code, fenced, link, plain, shell_word
from keepstate_lsp.cli.commands.cutover.named_plan import NamedPlan, Proof
from keepstate_lsp.cli.commands.cutover.plan_evidence import check_words, estimate_lines, facts_lines
from keepstate_lsp.files.plan_folders import TIMELINE

_EFFECTS = {
    Effect.EXACT: "keeps all results",
    Effect.STATE_DROPPED: "drops what is no longer asked for",
    Effect.STARTS_EMPTY: "a metric starts empty",
    Effect.UNDETERMINED: "not known before the restart",
    Effect.STATE_LOST: "loses the state",
    Effect.DOES_NOT_START: "does not start",
    Effect.WRONG_RESULTS: "gives wrong results",
}
_WAYS = {
    Approach.RESTART: "restart from a savepoint",
    Approach.BOUNDARY: "hand over at a boundary",
    Approach.BOOTSTRAP: "start with a computed state",
    Approach.REPLAY: "read all rows again, beside the running job",
    Approach.NONE: "none that is exact",
}
_LEAVING = (
    "Leave the table of the state in.",
    ("It is read once: a restart from a savepoint goes on behind it. A job without it would lose its state.",),
)


def plan_page(cutover: NamedPlan) -> str:
    """The page, in Markdown."""
    return "\n".join(_lines(cutover)) + "\n"


def headline(cutover: NamedPlan) -> str:
    """The plan in one sentence."""
    plan = cutover.plan
    if plan.approach is Approach.RESTART and not plan.is_exact:
        return "No cutover is needed for the state, but former results stay in the sink until rows change them."
    if plan.approach is Approach.RESTART:
        return "No cutover is needed: every query keeps its state. Restart the job from a savepoint."
    if plan.approach is Approach.NONE:
        return "There is no exact plan: the rows of the past cannot be read again."
    exact = "Exact" if cutover.is_exact else "Not exact"
    if plan.approach is Approach.BOOTSTRAP and plan.boundary is not None:
        since = sql_time(plan.boundary)
        return f"{exact}: the new job begins with a state of all rows before {since}, and readers change over."
    if plan.approach is Approach.REPLAY:
        return f"{exact}: the new version reads all rows again, into sinks of its own, and readers change over."
    assert plan.boundary is not None
    until = cutover.time(plan.boundary)
    beside = ", some of them in new sinks with all others" if plan.fills_new_sinks else ""
    return f"{exact}: the running job gives all results up to {until}, the new job all results after it{beside}."


def _lines(cutover: NamedPlan) -> Iterator[str]:
    plan = cutover.plan
    yield f"# Cutover of {plain(cutover.file)}"
    yield ""
    yield f"**{plain(headline(cutover))}**"
    yield ""
    yield f"Compared with {plain(cutover.baseline)}, for {plain(cutover.engine)}."
    yield ""
    yield "| query | a restart from a savepoint | this plan |"
    yield "|---|---|---|"
    for pipeline in plan.pipelines:
        restart = f"{pipeline.verdict.value}: {_EFFECTS[pipeline.effect]}"
        yield f"| {plain(pipeline.name)} | {restart} | {_WAYS[pipeline.approach]}{_exactness(pipeline)} |"
    yield ""
    yield from _inexact(cutover)
    if not cutover.needs_cutover:
        return
    yield from _refuted(cutover)
    yield from _section("Mind", [plain(note) for note in plan.notes], "- ")
    yield from _keeping(plan)
    if not plan.exists:
        return
    yield from (f"![Timeline]({TIMELINE})", "")
    yield from _files(plan)
    yield from _section("Before you begin", list(_conditions(cutover)), "- ")
    yield from _section("The rows given", [plain(line) for line in facts_lines(cutover.evidence.past)], "- ")
    if plan.approach is Approach.REPLAY or cutover.evidence.past.tables:
        lines = [plain(line) for line in estimate_lines(cutover.evidence.estimate)]
        yield from _section("What it reads again", lines, "- ")
    yield from _steps(cutover)
    yield from _going_back(cutover)
    yield from _reasons(plan.pipelines)
    if cutover.proof is not None:
        yield from _proof(cutover.proof)


def _exactness(pipeline: PipelinePlan) -> str:
    if pipeline.approach is Approach.NONE or (pipeline.approach is Approach.RESTART and pipeline.is_exact):
        return ""
    return ", exact" if pipeline.is_exact else ", **not exact**"


def _section(title: str, lines: Sequence[str], mark: str) -> Iterator[str]:
    if lines:
        yield from (f"## {title}", "", *(f"{mark}{line}" for line in lines), "")


def _inexact(cutover: NamedPlan) -> Iterator[str]:
    flaws = [f"{plain(each.name)}: {plain(flaw)}." for each in cutover.plan.pipelines for flaw in each.flaws]
    broken = [
        f"{plain(cutover.sentence(check.assumption))} {plain(check_words(check))}" for check in cutover.evidence.broken
    ]
    yield from _section("What is not exact", flaws + broken, "- ")


def _refuted(cutover: NamedPlan) -> Iterator[str]:
    if cutover.is_refuted:
        yield from (
            "## The proof failed",
            "",
            f"{_where(cutover)} the plan gave other rows: see the end of this page.",
            "",
        )


def _keeping(plan: CutoverPlan) -> Iterator[str]:
    titles = [f"{plain(fix.title)}." for fix in plan.keeping]
    if titles:
        yield from (
            "## Without a cutover",
            "",
            "These edits keep the state, and were analysed. Consider them first.",
            "",
        )
        yield from (*(f"- {title}" for title in titles), "")


def _files(plan: CutoverPlan) -> Iterator[str]:
    yield from ("## Files", "", "| file | content |", "|---|---|")
    yield from (f"| {link(script.name)} | {plain(script.purpose)} |" for script in plan.scripts)
    yield ""


def _conditions(cutover: NamedPlan) -> Iterator[str]:
    """The conditions to be checked off, with what the rows say about them."""
    for each in cutover.plan.assumptions:
        check = cutover.evidence.of(each)
        mark = "x" if check is not None and check.status is Status.HELD else " "
        evidence = "" if check is None else f" {plain(check_words(check))}"
        yield f"[{mark}] {plain(cutover.sentence(each))}{evidence}"
    yield from (f"[ ] {plain(each.words)}" for each in cutover.plan.positions if each.start is Start.BY_HAND)


def _steps(cutover: NamedPlan) -> Iterator[str]:
    yield from ("## Steps", "")
    steps = _boundary_steps(cutover) if cutover.plan.approach is Approach.BOUNDARY else _shadow_steps(cutover)
    for number, (title, lines) in enumerate(steps, 1):
        yield f"{number}. **{title}**"
        yield from (f"   {line}".rstrip() for line in lines)
        yield ""


def _boundary_steps(cutover: NamedPlan) -> Iterator[tuple[str, Sequence[str]]]:
    plan = cutover.plan
    assert plan.boundary is not None and plan.slot is not None
    boundary = sql_time(plan.boundary)
    if plan.slot.end is None:
        yield (
            "Choose the moment.",
            (
                f"Results of the running job come at any time, so the boundary is read after the stop (step 3). "
                f"{boundary} stands for it until then.",
            ),
        )
    else:
        length = length_words(plan.slot.end - plan.slot.start)
        yield (
            "Wait for the boundary.",
            (
                f"Stop the running job when its watermark has reached {sql_time(plan.slot.start)} and not yet "
                f"{sql_time(plan.slot.end)}: that leaves {length}. {cutover.platform.watch}",
            ),
        )
    yield (
        "Stop the running job with a savepoint.",
        (*_commands(cutover, cutover.platform.stop), "The savepoint is the way back."),
    )
    yield "Check the boundary.", tuple(_checks(cutover))
    if plan.states:
        yield _computing(plan)
    yield (
        f"Start {NEW} without state.",
        (
            *_commands(cutover, cutover.platform.start, NEW),
            "It reads again what results behind the boundary are made of:",
            *(f"- {plain(position.words)}" for position in plan.positions),
        ),
    )
    yield (
        "Watch it catch up.",
        (
            "Its first results come when its watermark passes the first end of a window behind the boundary. From then "
            "on results are on time again, and all of them are right."
            if any(each.order is Order.WINDOW_END for each in plan.pipelines)
            else "Its first results come when its watermark passes the boundary. All of them are right.",
        ),
    )
    if plan.fills_new_sinks:
        yield _changing_over(plan)
    if plan.states:
        yield _LEAVING
    if plan.clean_up is Verdict.COMPATIBLE:
        yield (
            "Take the guard away, some time later.",
            (f"A restart from a savepoint with {CLEAN} keeps the state: this was analysed (compatible).",),
        )
    elif plan.clean_up is not None:
        yield (
            "Leave the guard in.",
            (
                f"It costs nothing. A restart without it is {plan.clean_up.value}: take it away with the next change "
                "that loses the state anyway.",
            ),
        )


def _checks(cutover: NamedPlan) -> Iterator[str]:
    plan = cutover.plan
    assert plan.boundary is not None
    again = f"{cutover.command} --at '<that time>'"
    for each in plan.pipelines:
        if not each.condition:
            continue
        if each.latest:
            yield from fenced([f"{each.latest};"], "sql")
        else:
            yield f"The sink of {plain(each.name)} does not show it: take the last watermark of the job."
    yield (
        f"This may not be later than {sql_time(plan.boundary)}. If it is, the job was stopped later: make the plan for "
        "the time that you read, and go on with its files."
    )
    yield from fenced([again])


def _shadow_steps(cutover: NamedPlan) -> Iterator[tuple[str, Sequence[str]]]:
    """The steps beside the running job, into sinks of their own."""
    plan = cutover.plan
    computed = plan.approach is Approach.BOOTSTRAP
    if computed:
        yield _computing(plan)
    file = NEW if computed else SHADOW
    reads = "It reads the state, and then the stream" if computed else "It reads everything again"
    yield (
        f"Start {file} without state, beside the running job.",
        (
            *_commands(cutover, cutover.platform.start, file),
            f"{reads}, into sinks of its own:",
            *(f"- {plain(position.words)}" for position in plan.positions),
        ),
    )
    yield "Wait until it has caught up.", ("Its watermark, or its lag, is that of the running job.",)
    yield _changing_over(plan)
    yield "Stop the running job with a savepoint.", _commands(cutover, cutover.platform.stop)
    if computed:
        yield _LEAVING


def _computing(plan: CutoverPlan) -> tuple[str, Sequence[str]]:
    several = len(plan.states) > 1
    return (
        "Compute the state from the rows of the past.",
        (
            "On Spark, from files with the rows of the source, FORMER_ROWS:",
            *fenced(
                f"keepstate run {shell_word(state.script)} --data {shell_word(f'{state.table}=FORMER_ROWS')} "
                f"--format parquet --output {shell_word(state.state if several else 'state')}"
                for state in plan.states
            ),
            f"Put the files where the cluster reads them, and their path into {NEW} in the place of",
            "`<where the cluster reads the state>`.",
        ),
    )


def _changing_over(plan: CutoverPlan) -> tuple[str, Sequence[str]]:
    names = [
        each.name for each in plan.pipelines if each.share is Share.SINCE and each.approach is not Approach.RESTART
    ]
    until = "" if plan.boundary is None else f" of rows before {sql_time(plan.boundary)}"
    since = f" Of {', '.join(map(plain, names))} they read the results{until} in the old sinks." if names else ""
    return (
        "Let readers change over to the new sinks.",
        (f"From here on they see the new version, as if it had always run.{since}",),
    )


def _going_back(cutover: NamedPlan) -> Iterator[str]:
    yield from ("## Going back", "")
    if cutover.plan.approach is Approach.BOUNDARY:
        assert cutover.plan.boundary is not None
        yield "- **Before the new job is started**: start the former version from its savepoint. Nothing is lost."
        yield (
            f"- **After it**: stop the new job, remove its results behind {sql_time(cutover.plan.boundary)} from the "
            "sinks, and start the former version from its savepoint. It writes them again."
        )
        yield from ("", *_commands(cutover, cutover.platform.back), "")
    else:
        yield "- **Before readers change over**: stop the new job. The running one was not touched."
        yield "- **After it**: let readers go back, and start the former version from its savepoint."
        yield ""


def _reasons(pipelines: Sequence[PipelinePlan]) -> Iterator[str]:
    reasons = [f"{plain(each.name)}: {plain(reason)}" for each in pipelines for reason in each.reasons]
    yield from _section("Why not at a boundary", reasons, "- ")


def _where(cutover: NamedPlan) -> str:
    return "On a real Flink" if cutover.proof is None or cutover.proof.runner.is_flink else "On Spark"


def proof_line(proof: Proof) -> str:
    """The proof in one sentence, for a terminal."""
    runner = proof.runner
    by = f"by {runner.name} {runner.version}{'' if runner.is_flink else ', not by Flink'}"
    if not proof.trials:
        return " ".join(filter(None, (f"Not proved {by}: {_stopped(proof.reason)}", runner.instead)))
    tries = f"{len(proof.trials)} trial{'' if len(proof.trials) == 1 else 's'}"
    left_out = f"{_sets(proof)} could not run: {_stopped(proof.not_run[0].reason)}" if proof.not_run else ""
    verdict = (
        "Proved" if proof.holds else "Refuted" if any(not each.is_exact for each in proof.trials) else "Not proved"
    )
    return " ".join(filter(None, (f"{verdict} {by} ({tries}).", left_out, runner.instead)))


def _stopped(sentence: str) -> str:
    return f"{sentence.rstrip('.')}."


def _sets(proof: Proof) -> str:
    return "1 set of rows" if len(proof.not_run) == 1 else f"{len(proof.not_run)} sets of rows"


def _proof(proof: Proof) -> Iterator[str]:
    yield from ("## Proof", "")
    runner = proof.runner
    if not runner.is_flink:
        yield from (
            f"**By {runner.name}, not by Flink.** {plain(runner.instead)} Results of both jobs were computed from the "
            "rows as Flink defines them. Savepoints, sources and sinks take no part in this proof.",
            "",
        )
    if not proof.trials:
        yield from (f"The plan was not run: {plain(proof.reason)}", "")
        return
    yield (
        f"The plan was run on {runner.name} {plain(runner.version)}. The table holds what the new job wrote against "
        "what the new version writes when it has always run."
    )
    yield from ("", "| rows | boundary | former job | new job | result |", "|---|---|---|---|---|")
    for trial in proof.trials:
        result = "equal" if trial.is_exact else f"{len(trial.missing)} missing, {len(trial.unexpected)} unexpected"
        yield f"| {plain(trial.rows)} | {sql_time(trial.boundary)} | {trial.former} | {trial.new} | {result} |"
    yield ""
    wrong = next((trial for trial in proof.trials if not trial.is_exact), None)
    if wrong is not None:
        yield from (f"- missing: {code(row)}" for row in wrong.missing[:5])
        yield from (f"- unexpected: {code(row)}" for row in wrong.unexpected[:5])
        yield ""
    if proof.not_run:
        yield from ("Some rows were not run:", "")
        yield from (f"- {plain(each.rows)}: {plain(each.reason)}" for each in proof.not_run)
        yield ""


def _commands(cutover: NamedPlan, lines: Sequence[str], file: str = "") -> Sequence[str]:
    filled = [line.format(file=file) for line in lines]
    return filled if cutover.platform.is_console else tuple(fenced(filled))
