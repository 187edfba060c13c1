#!/bin/sh
# Installs what is missing from Debian's packages: deps.sh [build|demo|redis|peers|instructions|rss|bench|bench-programs|check]
#
# Asks for nothing, starts no service, and does nothing when all is there. HEPTA_DEPS=skip in the
# environment turns it off, for a machine that has its tools from elsewhere.
set -eu

# a|b: either will do; the first that the system knows is installed.
build='gcc make binutils libc6-dev pkgconf|pkg-config liburcu-dev libck-dev'
demo="$build python3 gnuplot-nox|gnuplot-qt|gnuplot-x11|gnuplot procps libjemalloc2
    libtcmalloc-minimal4|libtcmalloc-minimal4t64 libmimalloc2.0|libmimalloc3"
redis="$demo redis-server redis-tools"
peers="$demo libtbbmalloc2"
instructions="$peers valgrind"
rss="$peers strace"
programs='redis-server redis-tools memcached nginx-light|nginx sqlite3 lua5.4 perl git z3 ghostscript clang g++'
bench="$peers $programs"
bench_programs="$build python3 procps $programs"
check="$build python3 clang libclang-rt-dev|libclang-rt-14-dev clang-format clang-tidy libcmocka-dev
    g++ musl-tools valgrind gnuplot-nox|gnuplot-qt|gnuplot-x11|gnuplot procps util-linux strace curl
    redis-server redis-tools memcached sqlite3 lua5.4 nginx-light|nginx perl git libjemalloc2
    libpython3.11-testsuite|libpython3.13-testsuite"

list=${1:-check}
case $list in
build | demo | redis | peers | instructions | rss | bench | bench-programs | check)
    eval "wanted=\$$(echo "$list" | tr - _)"
    ;;
*)
    echo "usage: $0 [build|demo|redis|peers|instructions|rss|bench|bench-programs|check]" >&2
    exit 2
    ;;
esac

[ "${HEPTA_DEPS:-}" != skip ] || exit 0

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    echo "deps: not a Debian system; what is needed, by its Debian names:" $wanted >&2
    exit 0
fi

all_installed() {
    # One query for all names; a name that dpkg has never heard of is simply not printed.
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
        $(echo $wanted | tr '|' ' ') 2> /dev/null | sed -n 's/^installed //p') || true
    missing=
    for choice in $wanted; do
        found=
        for package in $(echo "$choice" | tr '|' ' '); do
            case "
$installed
" in *"
$package
"*) found=yes ;; esac
        done
        [ -n "$found" ] || missing="$missing $choice"
    done
    [ -z "$missing" ]
}

# Prints the first package of each missing choice that the system could install.
installable() {
    for choice in $missing; do
        chosen=
        for package in $(echo "$choice" | tr '|' ' '); do
            if [ -z "$chosen" ] && apt-cache policy "$package" 2> /dev/null |
                grep -q 'Candidate: [^(]'; then
                chosen=$package
            fi
        done
        echo "${chosen:-?${choice%%|*}}"
    done
}

all_installed && exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
    as_root='sudo -n'
else
    echo "deps: missing packages, and neither root nor sudo without a password. Please run:" >&2
    echo "    sudo apt-get update && sudo apt-get install --no-install-recommends" \
        $(installable | tr -d '?') >&2
    exit 1
fi

packages=$(installable)
case $packages in
*\?*)
    echo "deps: updating the package lists"
    $as_root apt-get update -qq
    packages=$(installable)
    ;;
esac
case $packages in
*\?*)
    echo "deps: no such package here:" $(echo "$packages" | grep '^?' | tr -d '?') >&2
    exit 1
    ;;
esac

# A server that is installed must not start: policy-rc.d forbids it, for the time of the install.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap '$as_root rm -f $policy' EXIT
    trap 'exit 1' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy > /dev/null
    $as_root chmod 755 $policy
fi

install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 $packages
}

echo "deps: installing" $packages
install || {
    echo "deps: once more, with new package lists"
    $as_root apt-get update -qq
    install
}

all_installed || {
    echo "deps: still missing:$missing" >&2
    exit 1
}
