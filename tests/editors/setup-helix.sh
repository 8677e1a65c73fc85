#!/usr/bin/env bash
# Sets up a Helix for the editor tests where none is on PATH: the package of Debian 13, unpacked in a cache folder outside
# of the repository together with the C library that it needs (about 60 MB). Nothing is installed in the system, so any
# Debian will do, and nobody needs to be root. KEEPSTATE_HELIX names another Helix.
set -euo pipefail

SUITE=trixie

[ -z "${KEEPSTATE_HELIX:-}" ] || { echo "Helix for tests is $KEEPSTATE_HELIX"; exit 0; }
found="$(command -v hx || command -v helix || true)"
[ -z "$found" ] || { echo "Helix for tests is $found"; exit 0; }

cache="${KEEPSTATE_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/keepstate-tests}/helix"
helix="$cache/hx"
[ ! -x "$helix" ] || { echo "Helix for tests is $helix"; exit 0; }

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) loader=usr/lib64/ld-linux-x86-64.so.2 libraries=usr/lib/x86_64-linux-gnu ;;
    Linux-aarch64) loader=usr/lib/ld-linux-aarch64.so.1 libraries=usr/lib/aarch64-linux-gnu ;;
    *) echo "setup: no Helix is known for $(uname -sm)" >&2; exit 1 ;;
esac
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || { echo "setup: no hx on PATH, and no $tool to get one; install Helix" >&2; exit 1; }
done
# Where this machine gets its Debian packages from.
mirror="$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" { print $2; exit }')"
[ -n "$mirror" ] || { echo "setup: no hx on PATH, and this is no Debian; install Helix" >&2; exit 1; }

echo "setup: unpacking Helix in $cache"
rm -rf "$cache"
mkdir -p "$cache"/{lists,archives}/partial "$cache/parts"
cd "$cache"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main" >sources.list
# apt with files of its own; of the system it only reads what is installed.
options=(-qq -o Dir::Etc::sourcelist="$cache/sources.list" -o Dir::Etc::sourceparts="$cache/parts"
    -o Dir::State::lists="$cache/lists" -o Dir::Cache="$cache" -o APT::Sandbox::User="$(id -un)"
    -o APT::Get::List-Cleanup=0 -o Acquire::Languages=none -o Debug::NoLocking=1)
apt-get "${options[@]}" update
apt-get "${options[@]}" download "hx/$SUITE" "libc6/$SUITE" "libgcc-s1/$SUITE"
for package in *.deb; do
    dpkg-deb --extract "$package" unpacked
done
rm -rf -- *.deb lists archives parts ./*.bin
unpacked="$cache/unpacked"
# The runtime folder is looked for beside the program that runs, which is the loader.
cat >hx.new <<END
#!/bin/sh
export HELIX_RUNTIME="$unpacked/usr/lib/hx/runtime"
exec "$unpacked/$loader" --library-path "$unpacked/$libraries" "$unpacked/usr/bin/hx" "\$@"
END
chmod +x hx.new
./hx.new --version
mv hx.new hx
echo "Helix for tests is $helix"
