#!/bin/sh
# deps.sh on a machine that is played by a few scripts: dpkg-query, apt-cache, apt-get, id and sudo.
. "$(dirname "$0")/support/expect.sh"

machine=$scratch/machine
mkdir "$machine"
export MACHINE="$machine"

play() {
    printf '#!/bin/sh\n%s\n' "$2" > "$machine/$1"
    chmod +x "$machine/$1"
}

# Everything is installed but what stands in $machine/missing.
play dpkg-query 'for p in "$@"; do case $p in -*|*db:*) ;; *)
    grep -qx "$p" $MACHINE/missing || echo "installed $p" ;; esac; done'
play apt-cache 'printf "$2:\n  Installed: (none)\n  Candidate: 1.0\n"'
play apt-get 'echo "apt-get $*" >> $MACHINE/log'
play id 'echo 1000'
play sudo 'shift; echo "sudo $*" >> $MACHINE/log
    case "$*" in *"apt-get install"*) : > $MACHINE/missing ;; esac'

deps() {
    : > "$machine/log"
    PATH=$machine:$PATH "$tools/deps.sh" "$@"
}

: > "$machine/missing"
nothing_done() { deps check && [ ! -s "$machine/log" ]; }
expect 0 "" "nothing is run when all is there" nothing_done

echo libck-dev > "$machine/missing"
expect 0 "deps: installing libck-dev" "what is missing is installed" deps build
expect 0 "DEBIAN_FRONTEND=noninteractive apt-get install -y" "no question is asked" \
    cat "$machine/log"

echo pkgconf > "$machine/missing"
either() { deps build && [ ! -s "$machine/log" ]; }
expect 0 "" "one package of a choice is enough" either

printf 'libck-dev\nvalgrind\n' > "$machine/missing"
deps build > /dev/null
expect 1 "" "a list installs its own packages only" grep valgrind "$machine/log"

echo libck-dev > "$machine/missing"
play sudo 'exit 1'
expect 1 "apt-get install --no-install-recommends libck-dev" \
    "without root and sudo it says what to run" deps build

expect 2 "usage:" "an unknown list is refused" deps everything

finish
