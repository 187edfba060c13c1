#!/bin/bash
# clang, gcc and the linker on hepta: the objects are the same, byte for byte, as on glibc's malloc.
. "$(dirname "$0")/programs/common.sh"

clang=${CLANG:-clang}
needs "$clang" gcc g++ ld
expect_binds "$clang" --version

# The same object from the same command.
same_object() {
    local sentence=$1
    shift
    "$@" -o "$scratch/on_glibc.o" || { failed "$sentence: not even on glibc"; return; }
    succeeds "$sentence" "${on_hepta[@]}" "$@" -o "$scratch/on_hepta.o"
    cmp -s "$scratch/on_glibc.o" "$scratch/on_hepta.o" || failed "$sentence: another object"
}

flags=(-std=gnu11 -D_GNU_SOURCE= -I"$root/include" -I"$root/src" -O2 -g -w -c)
cat > "$scratch/words.cpp" << 'CPP'
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>
int main()
{
    std::map<std::string, std::vector<std::shared_ptr<std::string>>> words;
    for (int number = 0; number < 1000; number++) {
        words[std::to_string(number % 17)].push_back(
            std::make_shared<std::string>(std::to_string(number)));
    }
    std::cout << words.size() << '\n';
}
CPP
cd "$scratch" || exit 1
same_object "clang compiles a file of hepta" "$clang" "${flags[@]}" "$root/src/arena/bfc.c"
same_object "gcc compiles a file of hepta" gcc "${flags[@]}" "$root/src/arena/bfc.c"
same_object "g++ compiles a file of templates" g++ -std=c++17 -O1 -c "$scratch/words.cpp"
cp "$scratch/on_hepta.o" "$scratch/words.o"
same_object "clang++ compiles it too" "$clang++" -std=c++17 -O1 -c "$scratch/words.cpp"
succeeds "the linker links it" "${on_hepta[@]}" g++ "$scratch/words.o" -o "$scratch/words"
says 17 "the program runs" "${on_hepta[@]}" "$scratch/words"
finish
