"""A repository in which every program that a configuration can name leaves a mark when it runs."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from repositories import GitRepository

HOOKS = """
applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge
post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg
proc-receive push-to-checkout reference-transaction sendemail-validate update
""".split()


class Traps:
    """The program and its marks, in a folder beside the repository."""

    def __init__(self, folder: Path) -> None:
        self._marks = folder / "marks"
        self.program = folder / "trap"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{self._marks}"\ncat\n')
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    @property
    def marks(self) -> str:
        """The programs that ran, a line each."""
        return self._marks.read_text() if self._marks.exists() else ""

    def arm(self, repository: GitRepository, elsewhere: Path) -> None:
        """Name the program wherever a repository can. ``elsewhere`` is a folder that has nothing to do with it."""
        trap = str(self.program)
        settings = {
            "alias.cat-file": f"!{trap}",
            "alias.rev-parse": f"!{trap}",
            "core.alternateRefsCommand": trap,
            "core.askPass": trap,
            "core.editor": trap,
            "core.fsmonitor": trap,
            "core.gitProxy": trap,
            "core.hooksPath": str(self.program.parent / "hooks"),
            "core.pager": trap,
            "core.sshCommand": trap,
            "credential.helper": f"!{trap}",
            "diff.external": trap,
            "diff.evil.command": trap,
            "diff.evil.textconv": trap,
            "difftool.evil.cmd": trap,
            "extensions.partialClone": "origin",
            "extensions.worktreeConfig": "true",
            "filter.evil.clean": trap,
            "filter.evil.process": trap,
            "filter.evil.required": "true",
            "filter.evil.smudge": trap,
            "gpg.program": trap,
            "gpg.ssh.program": trap,
            "gpg.ssh.defaultKeyCommand": trap,
            "include.path": str(self.program.parent / "included"),
            "interactive.diffFilter": trap,
            "log.showSignature": "true",
            "merge.evil.driver": trap,
            "pager.log": trap,
            "pager.ls-files": trap,
            "protocol.allow": "always",
            "protocol.ext.allow": "always",
            "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
            "remote.origin.partialclonefilter": "blob:none",
            "remote.origin.promisor": "true",
            "remote.origin.proxy": trap,
            "remote.origin.uploadpack": trap,
            "remote.origin.url": f"ext::{trap}",
            "remote.origin.vcs": "ext",
            "sequence.editor": trap,
            "submodule.evil.update": f"!{trap}",
            "submodule.evil.url": f"ext::{trap}",
            "submodule.recurse": "true",
            "uploadpack.packObjectsHook": trap,
        }
        (self.program.parent / "included").write_text(f"[core]\n\tfsmonitor = {trap}\n[diff]\n\texternal = {trap}\n")
        for name, value in settings.items():
            repository.git("config", name, value)
        git = Path(repository.git("rev-parse", "--absolute-git-dir"))
        for folder in (git / "hooks", self.program.parent / "hooks"):
            folder.mkdir(exist_ok=True)
            for hook in HOOKS:
                (folder / hook).unlink(missing_ok=True)
                (folder / hook).symlink_to(self.program)
        (git / "info").mkdir(exist_ok=True)
        (git / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
        (git / "objects" / "info" / "alternates").write_text(f"{elsewhere / 'objects'}\n")


def contents(folder: Path) -> dict[str, str]:
    """The contents of a folder: mode, time and hash of each file, and the targets of links."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent) / name
            status = path.lstat()
            if path.is_symlink():
                content = os.readlink(path)
            elif path.is_file():
                content = f"{status.st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
            else:
                content = ""
            found[str(path.relative_to(folder))] = f"{status.st_mode:o} {content}"
    return found
