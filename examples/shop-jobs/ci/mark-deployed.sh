#!/usr/bin/env bash
# Records jobs as deployed and shares the record: run it behind a deployment that went well, in a clone that may push.
#
#   mark-deployed.sh ENVIRONMENT FILE... [OPTION of keepstate deployed mark, such as --savepoint PATH]...
#
# Two deployments may do so at once: whoever comes second takes over the record of the first one and tries again.
set -euo pipefail

environment=$1
shift
remote=${KEEPSTATE_REMOTE:-origin}
keepstate=${KEEPSTATE:-keepstate}
ref=refs/keepstate/deployed/$environment

take_over() {
    git fetch --quiet "$remote" "$ref"
    "$keepstate" deployed merge --environment "$environment" FETCH_HEAD
}

found=0
git ls-remote --exit-code "$remote" "$ref" > /dev/null || found=$?
case $found in
    0) take_over ;;
    2) echo "mark-deployed: the first record for $environment" ;;
    *) exit "$found" ;;
esac
"$keepstate" deployed mark --environment "$environment" "$@"
for attempt in 1 2 3 4 5; do
    if git push --quiet "$remote" "$ref:$ref"; then exit 0; fi
    echo "mark-deployed: not pushed, perhaps somebody else marked meanwhile (attempt $attempt)" >&2
    take_over
done
echo "mark-deployed: the record could not be pushed" >&2
exit 1
