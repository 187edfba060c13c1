#!/bin/bash
# Compilers, of preprocessed files, so that it is the compiler alone: compilers.sh gcc-c|gcc-c++|clang-c++ [scale=F]
. "$(dirname "$0")/common.sh"

# The file as each compiler's own headers make it.
preprocessed() {
    /usr/bin/python3 "$programs/generate/sources.py" "$scale"
    "$1" "${@:3}" -E -P "$2" -o "preprocessed.${2##*.}"
}

assembly=$scratch/assembly.s
case $row in
gcc-c)
    needs gcc
    data_set gcc-c preprocessed gcc code.c
    measured "$assembly" "$(gcc -print-prog-name=cc1)" -quiet -O2 -w -fpreprocessed "$input/preprocessed.c" \
        -o "$assembly"
    ;;
gcc-c++)
    needs g++
    data_set gcc-c++ preprocessed g++ code.cpp -std=c++17
    measured "$assembly" "$(gcc -print-prog-name=cc1plus)" -quiet -O1 -w -std=c++17 -fpreprocessed \
        "$input/preprocessed.cpp" -o "$assembly"
    ;;
clang-c++)
    # A single file is compiled by the process itself.
    needs clang++
    data_set clang-c++ preprocessed clang++ code.cpp -std=c++17
    measured "$assembly" clang++ -O1 -w -std=c++17 -S -x c++-cpp-output "$input/preprocessed.cpp" -o "$assembly"
    ;;
*) fail "no such row" ;;
esac
