#!/usr/bin/env bash
# Compares what runs with what is about to be deployed, job by job, and fails if a restart would cost state that nothing
# lets go: run it in front of a deployment, in a clone at the commit that is deployed.
#
#   gate-deployment.sh ENVIRONMENT [PATH or OPTION of keepstate deployed diff]...
#
# Without a record of what runs it fails, since nothing would be compared. Before the very first deployment, when nothing
# runs that has state to lose, set KEEPSTATE_FIRST=true.
set -euo pipefail

environment=$1
shift
remote=${KEEPSTATE_REMOTE:-origin}
ref=refs/keepstate/deployed/$environment

found=0
git ls-remote --exit-code "$remote" "$ref" > /dev/null || found=$?
if [ "$found" = 2 ]; then
    if [ "${KEEPSTATE_FIRST:-}" = true ]; then
        echo "gate-deployment: nothing is recorded for $environment, and this is said to be the first deployment"
        exit 0
    fi
    echo "gate-deployment: nothing is recorded as deployed in $environment, so nothing can be compared. Record what runs" \
        "(mark-deployed.sh, at the commit that is deployed), or set KEEPSTATE_FIRST=true if nothing runs yet." >&2
    exit 2
fi
[ "$found" = 0 ] || exit "$found"
git fetch --quiet "$remote" "+$ref:$ref"
"${KEEPSTATE:-keepstate}" deployed diff --environment "$environment" "$@"
