"""A JVM with the classes of one Flink version and the stand-ins for connectors, reached through py4j."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate.extras import install_words
from keepstate_flink.errors import FlinkError, FlinkMissing
from keepstate_flink.installation import cache, jars
from keepstate_spark.errors import SparkMissing
from keepstate_spark.java import find_java
from keepstate_spark.jvm import disconnect

if TYPE_CHECKING:
    from py4j.java_gateway import GatewayClient, GatewayParameters, JavaGateway  # type: ignore[import-untyped]

_JAVA = Path(__file__).with_name("java")
STAND_INS = tuple(_JAVA / f"{name}.java" for name in ("Tables", "Functions", "Jobs", "Plans"))
"""Java that is compiled for each version of Flink, in this order: each may use those before it."""
_OPENED = (
    "java.lang",
    "java.lang.reflect",
    "java.net",
    "java.io",
    "java.nio",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.concurrent.locks",
    "sun.net.util",
    "sun.nio.ch",
)
"""Packages of java.base into which Flink reflects."""


def require_flink() -> None:
    """Raise ``FlinkMissing`` unless py4j and a Java are here."""
    if find_spec("py4j") is None:
        raise FlinkMissing("Flink is reached through py4j, which is not installed.", install_words("flink"))
    _java()


@contextlib.contextmanager
def jvm(version: str, more: Sequence[Path] = (), class_path: Sequence[Path] = ()) -> Iterator[tuple[JavaGateway, Path]]:
    """A JVM of an installed Flink version, and a folder for what it writes; both end with the block or this process.

    ``more`` are sources beside the stand-ins, ``class_path`` jars of the user.

    Raises:
        FlinkError: the JVM does not start.
    """
    with tempfile.TemporaryDirectory(prefix="keepstate-flink-", ignore_cleanup_errors=True) as scratch:
        gateway = _gateway(version, Path(scratch), (*STAND_INS, *more), class_path)
        try:
            yield gateway, Path(scratch)
        finally:
            _ended(gateway)


def _java() -> Path:
    try:
        return find_java("Flink").program
    except SparkMissing as error:
        raise FlinkMissing(error.sentence, error.hint) from error


def _gateway(version: str, scratch: Path, sources: Sequence[Path], class_path: Sequence[Path]) -> JavaGateway:
    classes = _classes(version, sources)
    logging = scratch / "log4j2.properties"
    logging.write_text("rootLogger.level = off\n", "utf-8")
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    options = [
        "-Xmx1500m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Dfile.encoding=UTF-8",
        f"-Dlog4j2.configurationFile={logging}",
        f"-Djava.io.tmpdir={scratch}",
    ]
    return _launched([*jars(version), *classes, *class_path], [*options, *opened])


def _launched(class_path: Sequence[Path], options: Sequence[str]) -> JavaGateway:
    from py4j.java_gateway import GatewayParameters, JavaGateway, find_jar_path, launch_gateway

    try:
        port, token, process = launch_gateway(
            jarpath=find_jar_path(),
            classpath=os.pathsep.join(map(str, class_path)),
            javaopts=list(options),
            java_path=str(_java()),
            # The JVM reads our end of a pipe, and ends when that breaks, hence also when we are killed.
            die_on_exit=True,
            enable_auth=True,
            return_proc=True,
            redirect_stderr=subprocess.DEVNULL,
            # Or Ctrl-C would end the JVM while it still has to answer.
            create_new_process_group=True,
        )
    except (OSError, ValueError) as error:
        raise FlinkError(f"The JVM of Flink does not start: {error}.") from error
    parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
    gateway = JavaGateway(gateway_parameters=parameters, java_process=process)
    gateway.set_gateway_client(_client(parameters))
    return gateway


def _client(parameters: GatewayParameters) -> GatewayClient:
    """The client of a gateway. It raises errors of Java itself: a Spark session in this process puts code of its own
    in place of py4j's, which asks the JVM of Spark about each of them, and the end of an iterator is one.
    """
    from py4j.java_gateway import GatewayClient
    from py4j.protocol import REFERENCE_TYPE, get_return_value, is_error  # type: ignore[import-untyped]

    class FlinkClient(GatewayClient):  # type: ignore[misc]
        def send_command(self, command: str, *args: Any, **options: Any) -> Any:
            answer = super().send_command(command, *args, **options)
            if isinstance(answer, str) and is_error(answer)[0] and answer[1:2] == REFERENCE_TYPE:
                get_return_value(answer, self)
            return answer

    return FlinkClient(gateway_parameters=parameters)


def _ended(gateway: JavaGateway) -> None:
    # Not asked to end: hooks of Flink could wait for jobs that run, and the files of the JVM go with its folder.
    gateway.java_process.kill()
    gateway.java_process.wait()
    with contextlib.suppress(BrokenPipeError):
        gateway.java_process.stdin.close()
    gateway.close()
    disconnect(gateway)


def _classes(version: str, sources: Sequence[Path]) -> list[Path]:
    """The folders with the classes of ``sources`` for a Flink version, compiled by the Janino that Flink brings."""
    folders: list[Path] = []
    for source in sources:
        folders.append(_compiled(version, source, folders))
    return folders


def _compiled(version: str, source: Path, before: Sequence[Path]) -> Path:
    text = source.read_text("utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = cache() / f"classes-{version}-{source.stem}-{digest}"
    if folder.is_dir():
        return folder
    gateway = _launched([*jars(version), *before], ["-Xmx512m"])
    try:
        compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setTargetVersion(8)
        compiler.cook(text)
        compiled = {str(name): bytes(code) for name, code in dict(compiler.getBytecodes()).items()}
    finally:
        _ended(gateway)
    with tempfile.TemporaryDirectory(dir=cache(), prefix="unfinished-") as scratch:
        classes = Path(scratch, "classes")
        for name, code in compiled.items():
            path = classes.joinpath(*name.split(".")).with_suffix(".class")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(code)
        with contextlib.suppress(FileExistsError, OSError):
            # Another process may have been faster; what it has made is the same.
            classes.rename(folder)
    return folder
