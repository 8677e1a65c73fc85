#!/usr/bin/env bash
# Sets up an Emacs with eglot for the editor tests where none is on PATH: who is root on a Debian, as in a container, gets
# it installed. KEEPSTATE_EMACS names another Emacs.
set -euo pipefail

has_eglot() {
    "$1" --batch --eval "(progn (package-activate-all) (require 'eglot))" >/dev/null 2>&1
}

emacs="${KEEPSTATE_EMACS:-$(command -v emacs || true)}"
if { [ -z "$emacs" ] || ! has_eglot "$emacs"; } && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # Whoever else installs something at the moment is waited for.
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    packages=(emacs-nox)
    # Emacs 29 and later have eglot on board, and Debian has no package for them.
    ! apt-cache show elpa-eglot >/dev/null 2>&1 || packages+=(elpa-eglot)
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
    emacs="$(command -v emacs)"
fi
[ -n "$emacs" ] || { echo "setup: no Emacs: apt-get install emacs-nox elpa-eglot, or set KEEPSTATE_EMACS" >&2; exit 1; }
has_eglot "$emacs" || { echo "setup: $emacs has no eglot: install elpa-eglot, or Emacs 29" >&2; exit 1; }
echo "Emacs for tests is $emacs"
