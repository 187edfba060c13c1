#!/usr/bin/env bash
# ThreadSanitizer notices a release that is weakened to relaxed: that of a claim.
# stress/mutations.sh without arguments has the whole list.
set -eu
cd "$(dirname "$0")/.."
export TRIES=6 TRY_SECONDS=3
exec stress/mutations.sh src/platform/claim.h \
    "/release: P1,/,/memory_order_release/ s/memory_order_release/memory_order_relaxed/" pipeline
