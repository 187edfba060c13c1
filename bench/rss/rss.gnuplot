# Resident memory over time: a panel per scenario, a line per allocator, and behind them, as an area, what the
# program holds.
#
# Called by report.py with these variables:
#   out, folder          the picture, and where the data are: SCENARIO.ALLOCATOR
#   names, colors        lists of equal length, separated by blanks; hepta is the first
#   scenarios, titles    lists of equal length, the second separated by |

across = 3
rows = int((words(scenarios) + across - 1) / across)
panel = 235.0
height = 76 + rows * panel
set terminal svg size 1080,height dynamic enhanced background "#ffffff" font "Helvetica,12"
set output out
set encoding utf8

ink = "#24292f"
quiet = "#57606a"
name(i) = word(names, i)
from_top(pixels) = 1 - pixels / height
has(file) = int(system("test -s '" . file . "'; echo $?")) == 0
title_of(i) = system("echo '" . titles . "' | cut -d '|' -f " . i)

set border 1 linecolor rgb "#afb8c1"
set ytics scale 0 font ",11" textcolor rgb quiet
set xtics scale 0.4 nomirror out textcolor rgb quiet
set grid xtics ytics linetype 1 linecolor rgb "#e4e7eb" linewidth 1
unset key

set multiplot
set label 1 "{/:Bold Resident memory over time, MiB by seconds. Grey: what the program holds}" \
    at screen 0.022, screen from_top(26) font ",18" textcolor rgb ink
do for [i = 1:words(names)] {
    at = 0.022 + (i - 1) * 0.098
    set label 10 + i name(i) at screen at + 0.012, screen from_top(52) textcolor rgb ink noenhanced
    set object 10 + i circle at screen at, screen from_top(52) size screen 0.004 front \
        fillcolor rgb word(colors, i) fillstyle solid 1 noborder
}

do for [p = 1:words(scenarios)] {
    left = 0.045 + ((p - 1) % across) * 0.322
    top = 72 + int((p - 1) / across) * panel
    set lmargin at screen left
    set rmargin at screen left + 0.275
    set tmargin at screen from_top(top + 32)
    set bmargin at screen from_top(top + 200)
    set label 3 "{/:Bold " . title_of(p) . "}" at screen left - 0.023, screen from_top(top + 16) left textcolor rgb ink
    set xrange [0:*]
    set yrange [0:*]
    files = ""
    tints = ""
    do for [i = words(names):1:-1] {
        file = folder . "/" . word(scenarios, p) . "." . name(i)
        if (has(file)) { files = files . " " . file; tints = tints . " " . word(colors, i) }
    }
    last = words(files)
    if (last > 0) {
        plot word(files, last) using ($1 / 1000):($3 / 1024) with filledcurves y1=0 fillcolor rgb "#d0d7de" \
                fillstyle solid 1 noborder, \
            for [i = 1:last] word(files, i) using ($1 / 1000):($2 / 1024) with lines \
                linewidth (i == last ? 2.6 : 1.5) linecolor rgb word(tints, i)
        unset label
        do for [i = 1:words(names)] { unset object 10 + i }
    }
}
unset multiplot
