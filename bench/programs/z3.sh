#!/bin/bash
# The SMT solver z3 on small problems: z3.sh z3-schedule|z3-bits [scale=F]
#
# Its output ends with how many steps it took: another search than on the system's malloc is an error.
. "$(dirname "$0")/common.sh"

needs z3
generated smt "$scale"
case $row in
z3-schedule) measured output z3 "$input/schedule.smt2" ;;
z3-bits) measured output z3 "$input/machines.smt2" ;;
*) fail "no such row" ;;
esac
