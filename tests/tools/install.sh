#!/bin/sh
# make install, then programs that know nothing but pkg-config. BUILD is the build directory.
. "$(dirname "$0")/support/expect.sh"

cd "$root"
export BUILD="${BUILD:-$root/build}"
place=$scratch/place
CC=${CC:-gcc}

make_to() { make --no-print-directory "$1" BUILD="$BUILD" CC="$CC" PREFIX="$place"; }
expect 0 "LD_PRELOAD=$place/lib/libhepta.so.1" "make install says where it is" make_to install

export PKG_CONFIG_PATH="$place/lib/pkgconfig"
export LD_LIBRARY_PATH="$place/lib"
cat > "$scratch/program.c" << 'END'
#include <hepta/hepta.h>
#include <stdlib.h>
int main(void)
{
    void *ours = hepta_malloc(100), *standard = malloc(100);
    hepta_free(standard); /* dies unless malloc is hepta's too */
    free(ours);
    return 0;
}
END
cat > "$scratch/program.cc" << 'END'
#include <hepta/hepta.h>
#include <map>
#include <string>
int main()
{
    std::map<int, std::string> names;
    for (int i = 0; i < 1000; i++)
        names[i] = std::string(static_cast<size_t>(i), 'x');
    hepta_free(::operator new(100));
    return names.size() == 1000 ? 0 : 1;
}
END

link() { # COMPILER SOURCE FLAGS...
    compiler=$1 source=$2
    shift 2
    rm -f "$scratch/program"
    $compiler -O1 "$scratch/$source" -o "$scratch/program" "$@" && "$scratch/program"
}
cflags=$(pkg-config --cflags hepta)
libs=$(pkg-config --libs hepta)
static_libs=$(pkg-config --libs --static hepta)

expect 0 "" "a C program linked with -lhepta runs" link "$CC" program.c $cflags $libs
expect 0 "" "a C++ program linked with -lhepta runs" link g++ program.cc $cflags $libs
expect 0 "" "a program with the static library runs" \
    link "$CC" program.c $cflags "$place/lib/libhepta.a" -lurcu-bp -lurcu-common
expect 0 "" "a fully static program runs" link "$CC" program.c -static $cflags $static_libs
expect 0 "" "a fully static C++ program runs" link g++ program.cc -static $cflags $static_libs

expect 0 "" "make uninstall" make_to uninstall
left() { find "$place" -type f -o -type l | grep .; }
expect 1 "" "nothing is left then" left

refused="PREFIX has to be an absolute path without blanks"
place="$scratch/a place"
expect 2 "$refused" "a PREFIX with a blank is refused" make_to install
place=there
expect 2 "$refused" "and so is one that is not absolute" make_to install

finish
