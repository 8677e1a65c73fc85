# shellcheck shell=sh
# The version of Keepstate, for CI systems whose definitions have no variables. To be sourced.

# Where Keepstate is hosted, and the hash of the version that you want. What PyPI has under this name is not it.
export KEEPSTATE_SOURCE=https://HOST/OWNER/keepstate
export KEEPSTATE_COMMIT=COMMIT
export KEEPSTATE="${KEEPSTATE:-/tmp/keepstate/bin/keepstate}"
