#!/usr/bin/env bash
# Sets up an Emacs with eglot and a Vim with ALE for the editor tests, where they are not there already: who is root on a
# Debian, as in a container, gets them installed. KEEPSTATE_EMACS names another Emacs, KEEPSTATE_ALE another folder of ALE.
set -euo pipefail

has_eglot() {
    command -v "$1" >/dev/null && "$1" --batch --eval "(progn (package-activate-all) (require 'eglot))" >/dev/null 2>&1
}

has_ale() {
    command -v vim >/dev/null && [ -d "${KEEPSTATE_ALE:-/usr/share/vim-ale}" ]
}

emacs="${KEEPSTATE_EMACS:-emacs}"
if ! { has_eglot "$emacs" && has_ale; } && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # Whoever else installs something at the moment is waited for.
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    packages=()
    has_ale || packages+=(vim vim-ale)
    if ! has_eglot "$emacs"; then
        packages+=(emacs-nox)
        # Emacs 29 and later have eglot on board, and Debian has no package for them.
        ! apt-cache show elpa-eglot >/dev/null 2>&1 || packages+=(elpa-eglot)
    fi
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
has_eglot "$emacs" || { echo "setup: no Emacs with eglot: apt-get install emacs-nox elpa-eglot, or set KEEPSTATE_EMACS" >&2; exit 1; }
has_ale || { echo "setup: no Vim with ALE: apt-get install vim vim-ale, or set KEEPSTATE_ALE" >&2; exit 1; }
echo "Emacs for tests is $(command -v "$emacs"), Vim $(command -v vim)"
