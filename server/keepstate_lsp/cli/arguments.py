"""Options that several commands share, and how they combine with the configuration file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.report import Verdict
from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.cli.other_programs import ENGINES_OF_OTHERS
from keepstate_lsp.config.engine_versions import version_fault
from keepstate_lsp.config.file import DEFAULT_FAIL_ON, EMPTY_CONFIG, FAIL_ON, Configuration, JobConfig
from keepstate_lsp.near_names import did_you_mean, near_names

if TYPE_CHECKING:
    from keepstate import FunctionSignature

FORMATS = ("text", "json")
REPORT_FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")
_WITH_FIXES = ("text", "json", "sarif", "markdown")
_COMMENTS = ("markdown",)
_PLAIN_PARAMETERS = ("table.", "pipeline.", "state.", "execution.")
"""Parameters of these groups hold no secret; others may be the key to a bucket, and reports are read by many."""
DEFAULT_ENGINE = "vvr"


@dataclass(frozen=True)
class JobSettings:
    """Settings of the comparison of one job."""

    engine: str = DEFAULT_ENGINE
    current: JobConfig = EMPTY_CONFIG
    """Configuration of the job, current side."""
    baseline: JobConfig = EMPTY_CONFIG
    fail_on: str = DEFAULT_FAIL_ON
    options: tuple[str, ...] = ()
    """Options of the command line that set these values, as they were written."""
    engine_is_chosen: bool = True
    """An option or the configuration names the engine; else it is the default."""

    def reaches_fail_on(self, verdict: Verdict) -> bool:
        """Return whether a verdict is at or above ``--fail-on``."""
        return self.fail_on != "never" and verdict.rank >= Verdict(self.fail_on).rank

    @property
    def is_unchanged(self) -> bool:
        """Return whether both sides have the same configuration, so that equal texts are equal jobs."""
        return self.current.is_like(self.baseline)


def add_output(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help="default: %(default)s")
    group.add_argument("--output", metavar="FILE", type=output_path, help="write there instead of to standard output")
    _add_manner(group)


def add_report_output(parser: argparse.ArgumentParser) -> None:
    """The options of commands that write reports, in several formats at once if asked for."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=REPORT_FORMATS,
        action="append",
        default=[],
        help=f"default: {REPORT_FORMATS[0]}; may be repeated, each with an --output of its own",
    )
    group.add_argument(
        "--output",
        metavar="FILE",
        type=output_path,
        action="append",
        default=[],
        help="write there instead of to standard output, which is -",
    )
    group.add_argument(
        "--docs-url", metavar="URL", type=web_address, help="where rule pages are published: reports link to URL/RULE"
    )
    _add_manner(group)


def report_outputs(arguments: argparse.Namespace) -> list[tuple[str, Path | None]]:
    """The formats to write, each with its file; ``None`` is standard output.

    Raises:
        UsageError: they do not go together.
    """
    formats: list[str] = arguments.format or [REPORT_FORMATS[0]]
    files: list[Path | None] = [None if str(path) == "-" else path for path in arguments.output]
    if len(formats) == 1 and not files:
        files = [None]
    if len(formats) != len(files):
        raise UsageError(f"{len(formats)} --format, {len(files)} --output: give each format its file, or - for one.")
    if len(set(files)) < len(files):
        raise UsageError("Two formats cannot go to the same place: give each an --output of its own.")
    return list(zip(formats, files, strict=True))


def shows_fixes(arguments: argparse.Namespace) -> bool:
    """Return whether any output has a place for fixes: each fix is tried by an analysis of its own, which is half of
    the work.
    """
    formats = [name for name, _ in report_outputs(arguments)] if hasattr(arguments, "format") else []
    return any(name in _WITH_FIXES and not (name == "text" and arguments.quiet) for name in formats)


def makes_comment(arguments: argparse.Namespace) -> bool:
    """Return whether any output is a comment, with a place for cutovers and diagrams: they take some analyses more."""
    return hasattr(arguments, "format") and any(name in _COMMENTS for name, _ in report_outputs(arguments))


def makes_json(arguments: argparse.Namespace) -> bool:
    """Return whether any output is a document for programs, which has the outlook of a cutover as well."""
    return hasattr(arguments, "format") and any(name == "json" for name, _ in report_outputs(arguments))


def _add_manner(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")
    group.add_argument(
        "--quiet", "-q", action="store_true", help="findings only, one line each; no summary, no progress"
    )


def add_comparison(parser: argparse.ArgumentParser) -> None:
    group = add_job(parser)
    group.add_argument(
        "--fail-on", choices=FAIL_ON, help=f"the mildest verdict that gives exit status 1 (default: {DEFAULT_FAIL_ON})"
    )


def add_job(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The options for the configuration of the job, on both sides."""
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--engine", metavar="ENGINE", type=filled, help="the engine that runs the job: vvr or flink (default: vvr)"
    )
    group.add_argument("--engine-version", metavar="V", type=filled, help="its version, for both sides")
    group.add_argument("--baseline-engine-version", metavar="V", type=filled, help="its version for the baseline alone")
    group.add_argument(
        "--parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a job parameter set outside of the SQL, for both sides; may be repeated",
    )
    group.add_argument(
        "--baseline-parameter",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="the same for the baseline alone",
    )
    add_configuration(parser)
    return group


def add_functions(parser: argparse.ArgumentParser) -> None:
    """The option of commands that have a real Flink plan jobs."""
    parser.add_argument(
        "--function",
        metavar="SIGNATURE",
        action="append",
        type=signature,
        default=[],
        help="the signature of a function of the job, such as 'norm(STRING, INT) RETURNS STRING', for the stand-in "
        "that a real Flink gets; may be repeated",
    )


def add_configuration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help="the configuration file, instead of the nearest keepstate.toml"
    )


def add_spark(parser: argparse.ArgumentParser, memory: str) -> argparse._ArgumentGroup:
    """The options for the Spark that a command runs on. ``memory`` is the default heap of its driver."""
    group = parser.add_argument_group("Spark")
    group.add_argument("--master", metavar="URL", help="the cluster to run on (default: all cores of this machine)")
    group.add_argument("--memory", metavar="SIZE", default=memory, help="heap of the driver (default: %(default)s)")
    group.add_argument(
        "--spark",
        metavar="K=V",
        action="append",
        type=parameter,
        default=[],
        help="a setting of Spark; may be repeated",
    )
    return group


def add_warm(group: argparse._ArgumentGroup) -> None:
    """The option of commands that a warm Spark session may answer."""
    group.add_argument(
        "--no-warm", action="store_true", help="start a Spark of its own, which ends with the command (default: in CI)"
    )


def add_for_programs(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The options of commands that an editor runs beside its server: what is restarted is handed over."""
    group = parser.add_argument_group("for programs that start this one")
    group.add_argument(
        "--versions",
        metavar="FILE",
        type=Path,
        help="both versions as JSON, instead of FILE.sql as it is and --against",
    )
    group.add_argument("--progress", choices=("bar", "json"), default="bar", help="json: lines on standard error")
    group.add_argument("--end-with-input", action="store_true", help="end when standard input does")
    return group


def configuration_for(arguments: argparse.Namespace, path: Path) -> Configuration | None:
    """The configuration that holds for ``path``.

    Raises:
        ConfigurationError: it is wrong.
    """
    if arguments.config is not None:
        return Configuration.at(arguments.config)
    return Configuration.around(path)


def job_settings(
    arguments: argparse.Namespace,
    configuration: Configuration | None,
    current: JobConfig = EMPTY_CONFIG,
    baseline: JobConfig | None = None,
) -> JobSettings:
    """The options of the command line over those of the configuration file over the defaults. ``current`` and
    ``baseline`` (by default the same) are the configurations in files.

    Raises:
        UsageError: there is no such engine, or no such version of it.
    """
    configured = configuration or Configuration(Path())
    version, own_version = arguments.engine_version, arguments.baseline_engine_version
    shared = dict(arguments.parameter)
    engine = known_engine(arguments.engine or configured.engine or DEFAULT_ENGINE)
    now = current.overridden(version, shared)
    was = (baseline or current).overridden(own_version or version, {**shared, **dict(arguments.baseline_parameter)})
    functions = {**(now.functions or configured.functions), **declared_functions(getattr(arguments, "function", ()))}
    now, was = replace(now, functions=functions), replace(was, functions=functions)
    for given_version in (now.engine_version, own_version):
        known_version(engine, given_version)
    return JobSettings(
        engine,
        now,
        was,
        getattr(arguments, "fail_on", None) or configured.fail_on or DEFAULT_FAIL_ON,
        _comparison_options(arguments),
        bool(arguments.engine or configured.engine),
    )


def _comparison_options(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The options of a comparison, quoted for a command line; ``--fail-on`` is none of them."""
    single = (
        ("--engine", arguments.engine),
        ("--engine-version", arguments.engine_version),
        ("--baseline-engine-version", arguments.baseline_engine_version),
        ("--config", arguments.config),
    )
    options = [word for option, value in single if value is not None for word in (option, str(value))]
    repeated = (("--parameter", arguments.parameter), ("--baseline-parameter", arguments.baseline_parameter))
    for option, pairs in repeated:
        for key, value in pairs:
            options += [option, f"{key}={value if key.startswith(_PLAIN_PARAMETERS) else 'VALUE'}"]
    return tuple(options)


def known_engine(name: str) -> str:
    """``name``, if there is such an engine.

    Raises:
        UsageError: there is none.
    """
    if name == DEFAULT_ENGINE:
        # Known without the profiles, which would load the whole analyzer.
        return name
    import keepstate

    if name not in keepstate.ENGINES:
        of_others = ENGINES_OF_OTHERS.get(name.lower())
        near = [of_others] if of_others else near_names(name, keepstate.ENGINES)
        suggestion = did_you_mean(near) or f" There is {', '.join(keepstate.ENGINES)}."
        raise UsageError(f"There is no engine {name!r}.{suggestion}")
    return name


def known_version(engine: str | None, version: str | None) -> str | None:
    """``version``, if there may be such a version of the engine (``None``: of any).

    Raises:
        UsageError: there is none.
    """
    if fault := version_fault(engine, version):
        raise UsageError(fault)
    return version


def filled(text: str) -> str:
    """A text that is not blank, as that of a variable is which nothing has set: it would stand for the default."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; leave the option out for the default")
    return text


def output_path(text: str) -> Path:
    """The path of an ``--output``, which nothing has set if it is blank: ``Path("")`` would be the current folder. Of a
    URL it would be a folder called ``s3a:``.
    """
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", text):
        raise argparse.ArgumentTypeError(f"{text!r} is a URL, and results are written to folders of this machine")
    return Path(filled(text))


def web_address(text: str) -> str:
    """An address of the web, without a slash at its end."""
    if not text.startswith(("https://", "http://")) or any(char.isspace() for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is no address: it begins with https://")
    return text.rstrip("/")


def table_path(text: str) -> tuple[str, str]:
    """The table and the path of ``TABLE=PATH``."""
    table, equals, path = text.partition("=")
    if not equals or not table.strip() or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form TABLE=PATH")
    return table.strip(), path


def parameter(text: str) -> tuple[str, str]:
    """The name and value of ``K=V``."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    return key.strip(), value


def signature(text: str) -> tuple[str, FunctionSignature]:
    """The name and the signature of a function."""
    import keepstate

    try:
        return keepstate.named_signature(text)
    except keepstate.SignatureFault as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault


def declared_functions(
    declarations: Sequence[tuple[str, FunctionSignature]],
) -> Mapping[str, tuple[FunctionSignature, ...]]:
    """The signatures of functions by their names.

    Raises:
        UsageError: those of one function do not go together.
    """
    if not declarations:
        return {}
    import keepstate

    texts: dict[str, list[str]] = {}
    for name, declared in declarations:
        texts.setdefault(name.upper(), []).append(str(declared))
    try:
        return keepstate.read_functions(texts)
    except keepstate.SignatureFault as fault:
        raise UsageError(f"--function: {fault}") from fault


def day(text: str) -> str:
    """A day of the calendar. git takes any text for a date, today if it makes no sense."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write it as 2026-01-31") from error
