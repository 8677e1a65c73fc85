#!/usr/bin/env bash
# Installs Keepstate of one commit, with the packages that its locks name, to the byte, into a folder of its own.
#
#   install-keepstate.sh FOLDER        afterwards FOLDER/bin/keepstate is the command
#
# KEEPSTATE_SOURCE is the address of its repository, KEEPSTATE_COMMIT the whole hash of a commit there: a tag or a branch may
# be moved to other code. Nothing is compiled, and nothing of the checked repository is imported.
set -euo pipefail

folder=$1
python=${PYTHON:-python3}
if ! [[ ${KEEPSTATE_COMMIT:-} =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]]; then
    echo "install-keepstate: KEEPSTATE_COMMIT is the whole hash of a commit, not '${KEEPSTATE_COMMIT:-}'" >&2
    exit 2
fi
if [ -z "${KEEPSTATE_SOURCE:-}" ]; then
    echo "install-keepstate: KEEPSTATE_SOURCE is not set: the address of the repository of Keepstate" >&2
    exit 2
fi
source=$folder/source
git init --quiet "$source"
# A server may not hand out a commit by its hash; then the branches and tags that lead to it.
git -C "$source" fetch --quiet --depth=1 "$KEEPSTATE_SOURCE" "$KEEPSTATE_COMMIT" ||
    git -C "$source" fetch --quiet --tags "$KEEPSTATE_SOURCE" '+refs/heads/*:refs/remotes/origin/*'
git -C "$source" checkout --quiet --detach "$KEEPSTATE_COMMIT"

# -I: the folder that this runs in is to be merged, and Python would import from there.
"$python" -I -m venv "$folder"
programs=$folder/bin
[ -d "$programs" ] || programs=$folder/Scripts # Windows
install() { "$programs/python" -I -m pip install --quiet --disable-pip-version-check "$@"; }
install --only-binary :all: --require-hashes --requirement "$source/supply/build.txt"
install --only-binary :all: --require-hashes --requirement "$source/supply/runtime.txt"
install --no-deps --no-build-isolation "$source"
