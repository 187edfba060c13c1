#!/bin/bash
# git on hepta: 200 files, commits, a branch and its merge, a repack with threads, and the check of it all.
. "$(dirname "$0")/programs/common.sh"

needs git
expect_binds git --version

export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a
export GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_DATE='2020-01-01T00:00:00Z'
export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
mkdir "$scratch/tree"
cd "$scratch/tree" || exit 1

write_files() {
    local index
    for index in $(seq 200); do
        mkdir -p "part_$((index % 10))"
        seq "$1" $(($1 + index * 20)) > "part_$((index % 10))/file_$index"
    done
}

succeeds "init" "${on_hepta[@]}" git init -q -b main
write_files 1
succeeds "add 200 files" "${on_hepta[@]}" git add .
succeeds "commit" "${on_hepta[@]}" git commit -qm first
succeeds "a branch" "${on_hepta[@]}" git checkout -qb side
write_files 5
succeeds "commit all of them changed" "${on_hepta[@]}" git commit -qam second
succeeds "back to main" "${on_hepta[@]}" git checkout -q main
succeeds "merge" "${on_hepta[@]}" git merge -q side
succeeds "diff" "${on_hepta[@]}" git diff --stat HEAD~1
succeeds "log with patches" "${on_hepta[@]}" git log -p
succeeds "grep with threads" "${on_hepta[@]}" git grep --threads 4 -c 77
succeeds "gc" "${on_hepta[@]}" git -c pack.threads=4 gc -q --aggressive --prune=now
succeeds "fsck" "${on_hepta[@]}" git fsck --full --strict
succeeds "clone" "${on_hepta[@]}" git clone -q . "$scratch/clone"
tree_of() { git -C "$1" rev-parse 'HEAD^{tree}'; }
if [ "$(tree_of .)" = "$(tree_of "$scratch/clone")" ]; then
    ok "the clone has the same tree"
else
    failed "the clone has another tree"
fi
finish
