#!/bin/bash
# git on a repository of 500 commits: git.sh git-repack|git-read [scale=F]
#
# git and its children are measured together: the sum of their times, the largest of their peaks.
. "$(dirname "$0")/common.sh"

needs git
export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat

make_repository() {
    /usr/bin/python3 "$programs/generate/history.py" "$scale"
    git init -q --bare -b main repository
    git -C repository fast-import --quiet < history
    rm history
}
data_set repository make_repository

case $row in
git-repack)
    restore() {
        rm -rf "$scratch/repository"
        cp -r "$input/repository" "$scratch/repository"
    }
    # With one thread the deltas, and so the pack, are the same each time.
    # shellcheck disable=SC2016 # for the inner shell
    measured "$scratch/pack" sh -c '
        cd "$1" && git -c pack.threads=1 gc -q --prune=now &&
        git -c pack.threads=1 repack -adfq --window=25 && cat objects/pack/*.pack > "$2"' \
        - "$scratch/repository" "$scratch/pack"
    ;;
git-read)
    # shellcheck disable=SC2016 # for the inner shell
    measured output sh -c '
        cd "$1" && git log -p -M --stat --all && git log -n "$2" --format=%h --stat -M -C main &&
        git diff --stat -C main~50 main && git diff --word-diff main~8 main && git fsck --full --strict' \
        - "$input/repository" "$(scaled 50)"
    ;;
*) fail "no such row" ;;
esac
