"""Tiers of the tests, and which modules begin first. All of it is said here.

`make test` runs the first tier: what a change can break, in a few minutes on two cores, with no download but packages.
`make test-all` also runs what bears the marker `full`. `pytest PATH` runs whatever lies there, of both.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from zlib import crc32

FULL = {
    # Programs that are downloaded, or built.
    "editors": "starts VS Code, Emacs, Vim, Helix or Neovim",
    "hosts/test_in_node.py": "builds the playground, and answers hundreds of requests in it",
    "hosts/test_in_the_extension.py": "answers a hundred requests in the worker of the packaged extension",
    "hosts/test_in_chromium.py": "builds the playground, and starts Chromium",
    "house/test_packages.py": "builds the wheel, the source distribution and the extension",
    "house/test_bench.py": "measures, as far as a test can",
    "house/test_corpus.py": "reads a corpus in processes of its own",
    "house/test_collection.py": "reads the imports of every module",
    # A Java for each.
    "spark": "runs queries on Spark",
    "flink/test_real_flink.py": "restarts jobs on a real Flink",
    "flink/test_declared_functions.py": "restarts jobs on a real Flink",
    "flink/test_measured_versions.py": "restarts jobs on a real Flink",
    "flink/test_real_planner.py": "plans jobs on a real Flink",
    "flink/test_flink_jvm.py": "starts the JVM of a real Flink",
    "cutover/test_cutover_proofs.py": "runs plans on a real Flink",
    "cutover/test_cutover_proofs_on_spark.py": "computes plans on Spark",
    "cutover/test_how_tos_on_flink.py": "computes a state on Spark, and runs plans on a real Flink",
    "cli/test_run_command.py": "runs queries on Spark",
    "cli/test_kept_sessions.py": "starts a process for each session, which imports all that queries need",
    "lsp/test_replay.py": "replays restarts on Spark",
    "lsp/test_verify_on_flink.py": "restarts jobs on a real Flink",
    # Everything over everything.
    "analyzer/test_views_of_every_pair.py": "draws each pair that was ever measured, for both engines",
    "analyzer/test_sequences_of_edits.py": "analyses each text of long sequences of edits twice",
    "analyzer/test_silent_edits.py::test_each_answer_is_that_of_an_analysis_from_nothing": "analyses each text twice",
    "analyzer/test_silent_edits.py::test_edits_upon_edits": "analyses each text of long sequences of edits twice",
    "analyzer/test_validated_programs.py": "compares every program that Flink validated with its edits",
    "analyzer/test_anonymous.py::test_the_analyzer_sees_the_same": "compares every measured pair twice",
    "analyzer/test_attribution.py": "compares each two of many edits",
    "analyzer/test_equivalence.py": "compares thousands of pairs of one meaning",
    "differential/test_edited_queries.py": "compares thousands of pairs of one edit",
    "analyzer/flink/test_versions.py::test_none_is_called_exact_that_is_not": "judges each row for each version",
    "analyzer/flink/test_measured_pairs.py::test_no_reason_is_given_in_vain": "mends each pair",
    "accuracy": "makes pairs at random and labels them",
    "properties": "makes jobs at random, and edits of them",
    "analyzer/test_many_queries.py": "analyses jobs of hundreds of queries",
    "analyzer/plan/test_simplified_meaning.py": "computes conditions over made rows",
    "analyzer/flink/test_measured_pairs.py::test_a_disagreement_has_a_reason_or_is_to_be_mended": "mends pair by pair",
    "validation/test_measured_programs.py": "validates every program that Flink validated",
    "rules/test_rule_docs.py::test_the_list_of_messages_is_up_to_date": "makes the messages of all examples",
    "house/test_bounds_are_tested.py::test_each_bound_is_tested_on_both_sides": "reads all tests",
    "cutover/test_cutover_past.py": "plans each change over files of the past",
    "rules/test_second_opinion.py": "holds the diff of each pair against its stored state",
    "rules/test_stable_reports.py": "makes all reports in several processes",
    "fuzz": "makes odd inputs at random",
    # Load, faults and time.
    "faults": "lets each call of a command fail",
    "hostile/test_bounds.py": "reads texts as large as they may be",
    "hostile/test_bounds_of_the_analyzer.py": "reads texts as large as they may be",
    "hostile/test_depth.py": "reads texts as deep as they may be",
    "hostile/test_large_statements.py": "reads texts as large as they may be",
    "hostile/test_growth.py": "counts calls for sizes that grow",
    "lsp/test_endurance.py": "edits for a long time",
    "lsp/test_git_that_stalls.py": "waits for bounds of time",
    "cli/test_git_that_stalls.py": "waits for bounds of time",
    "baselines/test_conversations.py": "waits for bounds of time",
    "cli/test_many_files.py": "checks thousands of files",
    # Repositories of several files, and many processes of git.
    "project/test_check_scenarios.py": "makes a repository for each scenario",
    "project/test_refuted_assumptions.py": "makes a repository for each assumption",
    "project/test_check_families.py": "makes a repository for each family",
    "project/test_identity_of_scripts.py": "makes a repository for each script",
    "project/test_embedded_jobs.py": "makes a repository for each host of SQL",
    "project/test_deployed_values.py": "makes a repository for each value",
    "project/test_names_in_files.py": "makes a repository for each name",
    "project/test_farther_declarations.py": "makes a repository for each declaration",
    "cli/test_fix_command.py": "makes a repository for each fix",
    "cli/test_fixes_as_bytes.py": "makes a repository for each fix",
    "cli/test_fixes_and_other_files.py": "makes a repository for each fix",
    "cli/test_fixes_of_a_change.py": "makes a repository for each fix",
    "cli/test_not_valid.py": "makes a repository for each format",
    "cli/test_named_baselines.py": "makes a repository for each baseline",
    "cli/test_acceptances_of_split_jobs.py": "makes repositories of fifty jobs",
    "cli/test_deployed_command.py": "makes a repository for each deployment",
    "cli/test_deployed_files.py": "makes a repository for each deployment",
    "cli/test_deployed_diff_command.py": "makes a repository for each deployment",
    "cli/test_history_command.py": "makes a history for each case",
    "cli/test_ledger_writers.py": "starts writers beside each other",
    "cli/test_processes.py": "starts a process for each case",
    "cli/test_watch.py": "waits for changes of files",
    "cli/test_worker_pool.py": "starts processes that work",
    "baselines/test_split_jobs.py": "makes a history for each story",
    "baselines/test_renames.py": "makes a history for each rename",
    "baselines/test_reader_processes.py": "starts processes of git",
    "baselines/test_bounds.py": "reads texts as large as they may be",
    "cutover/test_cutover_command.py": "makes a repository for each plan",
    "cutover/test_cutover_plans.py": "plans each change of each family",
    "lsp/test_config_diagnostics.py": "waits for a real server after each edit of a file",
    "lsp/test_writing.py": "starts a server for each client",
    "lsp/test_cutover.py": "runs the command of a real server",
    "lsp/test_deployed_jobs.py": "starts a server for each deployment",
    "lsp/test_ended_documents.py": "ends jobs with a real server",
    "lsp/test_verify.py": "asks a real server for restarts",
    "hostile/test_nothing_runs.py": "traces the processes of each command",
    "hostile/test_configuration.py": "reads odd configurations of every kind",
    "house/test_imports_of_the_server.py": "starts a process for each import",
    "house/test_forks.py": "starts commands as forks and as processes",
    "rules/test_flink_on_pages.py": "explains each rule for each engine",
    "analyzer/test_messages.py": "makes the messages of all examples",
    "analyzer/plan/test_wordings.py::test_whatever_is_typed_no_answer_depends_on_what_is_shared": "types many texts",
    "analyzer/flink/test_measured_pairs.py::test_none_is_called_exact_that_is_not": "judges each pair for each version",
    "differential": "makes pairs at random",
    "syntax/test_span_properties.py": "makes texts at random",
    # Damage and CI systems, one process of git after the other.
    "baselines/test_damage.py": "damages repositories in every place",
    "ci": "runs the definitions for CI systems, with repositories of their own",
    "baselines/test_unusual_repositories.py": "asks repositories of every kind in every way",
    "cli/test_two_baselines.py": "makes repositories with two baselines",
    "cli/test_ended_jobs.py": "makes a repository for each end of a job",
    "cli/test_files_of_entries.py": "makes a repository for each entry",
    "cli/test_first_commit.py": "makes a repository for each format",
    "cli/test_replay_page.py": "makes pages of odd values",
    "project/test_mixed_layouts.py": "makes a repository for each layout",
    "cli/test_pushes.py": "pushes to repositories of its own, as each CI system does",
    "cli/test_gate_in_ci.py": "clones repositories, as each CI system does",
    "cli/test_offered_acceptances.py": "pastes each offered command into a shell",
    "cli/test_links.py": "makes a repository for each link",
    "cli/test_left_out.py": "makes a repository for each file that is left out",
    "cli/test_deployed_dumps.py": "makes a repository for each dump",
    "cli/test_demo_command.py": "makes a repository and starts commands and a server for each case",
    # Long conversations with servers; a few are of the first tier, see below.
    "lsp/test_same_as_the_command_line.py": "asks servers and commands about each case",
    "lsp/test_real_analyzer.py": "edits with a real server from the finding to its fix",
    "lsp/test_embedded_sql.py": "asks a real server about SQL in programs of each kind",
    "lsp/test_renames_in_files.py": "renames over many files with a real server",
    "lsp/test_scenarios.py": "plays whole stories with a real server",
    "lsp/test_several_files.py": "edits jobs of several files with a real server",
    "lsp/test_open_files_of_a_job.py": "edits jobs of several files with a real server",
    "lsp/test_typing.py::test_typing_shows_what_the_finished_edit_has": "types hundreds of letters",
    "hostile/test_bounds_of_the_server.py": "starts a server for each bound",
    "hostile/test_bounds_of_reports.py": "makes a repository for each bound",
    "hostile/test_bounds_of_memories.py": "makes a repository for each bound",
    # Seconds each, about parts that few changes touch.
    "analyzer/flink/test_attributed_changes.py::test_changes_say_what_they_are_about": "compares all examples",
    "analyzer/test_cost_of_edits.py": "analyses long texts",
    "analyzer/test_hash_order.py": "starts a process for each seed",
    "baselines/test_told_index.py": "makes a repository for each place",
    "cli/test_completion_command.py": "starts shells that complete",
    "cli/test_configured_jobs.py": "makes a repository for each configuration",
    "cli/test_formats.py::test_a_comment_that_would_be_too_long_says_what_it_left_out": "makes a long comment",
    "cli/test_init_command.py": "makes a repository for each choice",
    "cli/test_tutorial.py": "follows the whole tutorial",
    "completion/test_every_place.py": "completes at every place of long texts",
    "embedded/test_hcl_values.py::test_hostile_files_are_answered_in_a_moment": "reads texts as large as they may be",
    "embedded/test_yaml_values.py::test_hostile_files_are_answered_in_a_moment": "reads texts as large as they may be",
    "hostile/test_reports.py::test_the_page_of_an_audit": "makes pages of odd values",
    "hosts/test_host.py::test_a_check_is_the_document_of_the_command_line": "runs a command for each check",
    "rules/test_front_matter.py::test_mistake_is_named_with_page_and_key": "reads all pages each time",
    "rules/test_rule_docs.py::test_what_is_stale_is_named_and_written": "makes all pages twice",
    "syntax/test_broken_text.py::test_huge_and_senseless_text_is_read_in_seconds": "reads texts of huge size",
    "syntax/test_memory.py": "types for a long time",
    "syntax/test_parts_of_sqlglot.py": "starts a process for each import",
}
"""Folders, modules and tests of the second tier, below tests/, each with the reason."""
FIRST = frozenset(
    {
        "cli/test_deployed_dumps.py::test_dumps_of_the_operator",
        "cli/test_deployed_dumps.py::test_the_job_of_a_deployment",
        "cli/test_kept_sessions.py::test_folders_that_others_can_enter_are_refused",
        "cli/test_kept_sessions.py::test_keys_differ_by_all_that_counts",
        "cli/test_kept_sessions.py::test_nothing_is_kept_where_that_is_refused",
        "editors/test_extension_manifest.py",
        "cli/test_fix_command.py::test_the_text_afterwards",
        "lsp/test_real_analyzer.py::test_from_edit_to_fix",
        "lsp/test_scenarios.py::test_a_context_that_leads_out_is_said_at_its_entry",
    }
)
"""Modules and tests in them that are of the first tier all the same."""
SPLIT = {
    "analyzer": 4,
    "analyzer/flink/test_measured_pairs.py": 9,
    "baselines": 3,
    "cli": 3,
    "completion": 3,
    "cutover": 3,
    "embedded": 3,
    "lsp": 3,
    "names": 3,
    "project": 3,
    "rules": 4,
    "rules/test_rule_coverage.py": 6,
    "rules/test_rule_pages.py": 6,
    "validation": 4,
}
"""Folders and modules of which one in so many cases of each test is of the first tier. The second tier has the others,
and runs them on each day.
"""
LONG = (
    # These share a JVM of Flink (shared_flink.py).
    "flink/test_real_flink.py",
    "cutover/test_cutover_proofs.py",
    "flink/test_declared_functions.py",
    "flink/test_real_planner.py",
    "flink/test_measured_versions.py",
    # A JVM of Flink for each.
    "cutover/test_how_tos_on_flink.py",
    "lsp/test_verify_on_flink.py",
    "faults",
    "spark",
    "editors",
    "cli/test_run_command.py",
    "lsp/test_replay.py",
    "hostile/test_growth.py",
    "properties",
    "analyzer/test_equivalence.py",
    "analyzer/test_views_of_every_pair.py",
    "rules/test_second_opinion.py",
    "hostile",
    "analyzer/flink/test_measured_pairs.py",
    "rules/test_rule_pages.py",
    "cli",
    "lsp",
    "analyzer",
)
"""Folders and modules that begin first, in this order: what is left for the end, when a worker waits for the other one,
are short modules. A worker takes a module as a whole: its fixtures and memories are made once.
"""
SHARES = {
    "analyzer": 4,
    "analyzer/test_messages.py": 6,
    "analyzer/test_views_of_every_pair.py": 8,
    "differential": 3,
    "properties": 7,
    "rules": 3,
    "rules/test_second_opinion.py": 8,
    "validation": 3,
}
"""Folders and modules of the second tier of which one in so many cases of each test runs by day (night.py): most of the
cases differ in one value. Each night all of them run.
"""
DAYS = {
    # A JVM, and seconds for each test.
    "spark": 7,
    "flink": 7,
    "faults": 8,
    "cutover": 5,
    "cutover/test_cutover_proofs.py": 7,
    "cutover/test_how_tos_on_flink.py": 7,
    "cli/test_run_command.py": 6,
    "lsp/test_replay.py": 5,
    # A real editor for each.
    "editors": 6,
    # Large texts, repositories, processes of git and long conversations with servers.
    "baselines": 3,
    "baselines/test_damage.py": 7,
    "ci": 4,
    "cli": 3,
    "cli/test_git_that_stalls.py": 6,
    "hostile": 4,
    "hostile/test_growth.py": 5,
    "lsp": 3,
    "project": 3,
}
"""Folders and modules of the second tier that run whole in so many days: each day one in so many of their tests,
whatever function it is of. Each night all of them run.
"""
WHOLE = {
    "accuracy": 2,
    "analyzer/test_equivalence.py": 5,
    "cli/test_kept_sessions.py": 3,
    "flink/test_measured_versions.py": 4,
    "fuzz": 5,
    "house/test_bench.py": 3,
    "house/test_corpus.py": 3,
    "lsp/test_verify_on_flink.py": 4,
    "hosts/test_in_chromium.py": 3,
    "rules/test_stable_reports.py": 3,
    "spark/test_audit.py": 6,
    "spark/test_audit_sandbox.py": 6,
    "spark/test_audit_texts.py": 6,
    "spark/test_warm_sessions.py": 5,
}
"""Folders and modules of the second tier that run on one of so many days, and on others not at all: most of their time
is that of one fixture or of one test. Each night all of them run.
"""


_TURNS = {name: turn for turn, name in enumerate(LONG)}


def is_full(test: str, case: int = 0) -> bool:
    """Tell the tier of a test by its id below tests/, as ``cli/test_gate.py::test_x[a]``, and the number of its case,
    from 0: the longest name decides.
    """
    return is_listed(test) or case % SPLIT.get(_longest(SPLIT, test), 1) != 0


def is_listed(test: str) -> bool:
    """Tell if a test is of the second tier with all of its cases."""
    return len(_longest(FULL, test)) > len(_longest(FIRST, test))


def has_tests(path: str, full: bool) -> bool:
    """Tell if a folder or a module has tests of the second tier (``full``) or of the first: others need no import."""
    exceptions = FIRST if is_listed(path) else FULL
    parts = (f"{path}/", f"{path}::")
    is_split = full and (_longest(SPLIT, path) != "" or any(name.startswith(parts) for name in SPLIT))
    return is_listed(path) is full or is_split or any(name.startswith(parts) for name in exceptions)


def rests(module: str, day: int) -> bool:
    """Tell if no test of a module runs on a day."""
    whole = _longest(WHOLE, module)
    return whole != "" and (day + crc32(whole.encode())) % WHOLE[whole] != 0


def runs_by_day(module: str, case: tuple[int, int], test: int, day: int) -> bool:
    """Tell if a listed test is in the share of a day. ``case`` is its number, from 0, among the cases of
    its function, with their count; ``test`` is its number among the tests of its module.

    The share goes on by one each day: as many days as the tables say have each test.
    """
    if rests(module, day):
        return False
    # Modules with few tests have none on some days: not all of them on the same ones.
    day += crc32(module.encode())
    if _longest(WHOLE, module):
        return True
    if name := _longest(DAYS, module):
        return (test + day) % DAYS[name] == 0
    (number, count), days = case, SHARES.get(_longest(SHARES, module), 1)
    return number % days == day % min(days, count)


def turn_of(module: str) -> int:
    """The place of a module in the order of ``LONG``."""
    name = _longest(_TURNS, module)
    return _TURNS[name] if name else len(LONG)


def _longest(names: Container[str], test: str) -> str:
    return next((name for name in _names_of(test) if name in names), "")


def _names_of(test: str) -> Iterator[str]:
    """The names that stand for a test: its own, then those of its class, its module and each folder."""
    # Not each name of the tables is compared with each test: twenty thousand tests ask, in each worker.
    path, *inner = test.partition("[")[0].split("::")
    for length in range(len(inner), 0, -1):
        yield "::".join([path, *inner[:length]])
    while path:
        yield path
        path = path.rpartition("/")[0]
