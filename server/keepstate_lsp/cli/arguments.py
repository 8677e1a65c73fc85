"""Options that several commands share, and how they combine with the configuration file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.configuration import FAIL_ON, NOTHING_TOLD, Circumstances, Configuration

FORMATS = ("text", "json")
DEFAULT_FAIL_ON = "unknown"
DEFAULT_ENGINE = "vvr"


@dataclass(frozen=True)
class JobSettings:
    """How the job in one file is compared."""

    engine: str = DEFAULT_ENGINE
    current: Circumstances = NOTHING_TOLD
    """What the job is told outside of its SQL."""
    baseline: Circumstances = NOTHING_TOLD
    fail_on: str = DEFAULT_FAIL_ON

    @property
    def alike(self) -> bool:
        """Whether both sides run under the same conditions, so that equal texts are equal jobs."""
        return self.current.is_like(self.baseline)


def add_output(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help="default: %(default)s")
    group.add_argument("--output", metavar="FILE", type=Path, help="write there instead of to standard output")
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
    """The options that say what runs the job, on both sides."""
    group = parser.add_argument_group("comparison")
    group.add_argument("--engine", metavar="NAME", help="the engine that runs the job (default: vvr)")
    group.add_argument("--engine-version", metavar="V", help="its version, for both sides")
    group.add_argument("--baseline-engine-version", metavar="V", help="its version for the baseline alone")
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


def add_configuration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help="the configuration file, instead of the nearest keepstate.toml"
    )


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
    current: Circumstances = NOTHING_TOLD,
    baseline: Circumstances | None = None,
) -> JobSettings:
    """The options of the command line over those of the configuration over the defaults. ``current`` and ``baseline``
    (by default the same) are what files tell the job on the two sides.
    """
    configured = configuration or Configuration(Path())
    version, own_version = arguments.engine_version, arguments.baseline_engine_version
    shared = dict(arguments.parameter)
    return JobSettings(
        known_engine(arguments.engine or configured.engine or DEFAULT_ENGINE),
        current.overridden(version, shared),
        (baseline or current).overridden(own_version or version, {**shared, **dict(arguments.baseline_parameter)}),
        getattr(arguments, "fail_on", None) or configured.fail_on or DEFAULT_FAIL_ON,
    )


def known_engine(name: str) -> str:
    """``name``, if there is such an engine.

    Raises:
        UsageError: there is none.
    """
    import keepstate

    if name not in keepstate.ENGINES:
        raise UsageError(f"There is no engine {name!r}; there is {', '.join(keepstate.ENGINES)}.")
    return name


def parameter(text: str) -> tuple[str, str]:
    """The name and value of ``K=V``."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    return key.strip(), value
