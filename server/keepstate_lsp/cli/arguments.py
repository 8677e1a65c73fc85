"""Options that several commands share, and how they combine with the configuration file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from keepstate_lsp.cli.errors import UsageError
from keepstate_lsp.configuration import FAIL_ON, Configuration

FORMATS = ("text", "json")
DEFAULT_FAIL_ON = "unknown"
DEFAULT_ENGINE = "vvr"


@dataclass(frozen=True)
class JobSettings:
    """How the job in one file is compared."""

    engine: str = DEFAULT_ENGINE
    engine_version: str | None = None
    baseline_engine_version: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    baseline_parameters: Mapping[str, str] = field(default_factory=dict)
    fail_on: str = DEFAULT_FAIL_ON

    @property
    def alike(self) -> bool:
        """Whether both sides run under the same conditions, so that equal texts are equal jobs."""
        return self.engine_version == self.baseline_engine_version and self.parameters == self.baseline_parameters


def add_output(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help="default: %(default)s")
    group.add_argument("--output", metavar="FILE", type=Path, help="write there instead of to standard output")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")
    group.add_argument(
        "--quiet", "-q", action="store_true", help="findings only, one line each; no summary, no progress"
    )


def add_comparison(parser: argparse.ArgumentParser) -> None:
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
    group.add_argument(
        "--fail-on", choices=FAIL_ON, help=f"the mildest verdict that gives exit status 1 (default: {DEFAULT_FAIL_ON})"
    )
    add_configuration(parser)


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


def job_settings(arguments: argparse.Namespace, configuration: Configuration | None) -> JobSettings:
    """The options of the command line over those of the configuration over the defaults."""
    configured = configuration or Configuration(Path())
    parameters = {**configured.parameters, **dict(arguments.parameter)}
    own_version = arguments.baseline_engine_version
    return JobSettings(
        known_engine(arguments.engine or configured.engine or DEFAULT_ENGINE),
        arguments.engine_version,
        arguments.engine_version if own_version is None else own_version,
        parameters,
        {**parameters, **dict(arguments.baseline_parameter)},
        arguments.fail_on or configured.fail_on or DEFAULT_FAIL_ON,
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
