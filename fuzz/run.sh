#!/bin/sh
# Runs every fuzz target for SECONDS each, one after the other, and appends a line for each to
# runs.tsv.
#
#     fuzz/run.sh SECONDS [TARGET...]        SANITIZER=address fuzz/run.sh 60 open
#
# The rows `readers` are not of this program: they are damaged files that four readers were given by
# the tests of readers, with COCONUT_DAMAGED and COCONUT_DAMAGED_SEED.
#
# Needs a nightly compiler; installs cargo-fuzz where it is missing. A finding stays in
# fuzz/artifacts: copy it to fuzz/findings/TARGET, name it, and the smoke test replays it from then
# on.
set -eu

seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
cd "$(dirname "$0")"
sanitizer=${SANITIZER:-none}
command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
[ -d corpus ] || ./seed.py
[ $# -gt 0 ] || set -- $(cargo +nightly fuzz list)

# A plus says that the code differed from the commit.
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- .. ':!runs.tsv' || commit="$commit+"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in "$@"; do
    seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
    mkdir -p "corpus/$target"
    findings=0
    cargo +nightly fuzz build -s "$sanitizer" "$target" 2>"$log" || { cat "$log" >&2; exit 1; }
    started=$(date +%s)
    cargo +nightly fuzz run -s "$sanitizer" "$target" -- -seed="$seed" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=1024 -max_len=8192 -print_final_stats=1 >"$log" 2>&1 || findings=1
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    # A finding ends a run early.
    lasted=$(($(date +%s) - started))
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$target" "$sanitizer" "$seed" "$lasted" "${executions:-0}" \
        "${edges:-0}" "$findings" "$commit" >>runs.tsv
    if [ "$findings" -ne 0 ]; then
        tail -40 "$log" >&2
    fi
done
