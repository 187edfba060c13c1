# The latency of each malloc and each free: a case a row, percentiles to the right, time upwards.
#
# Called by latency.py with these variables:
#   out, folder      the picture, and where the data are: CASE.CALL.ALLOCATOR, CASE.nothing
#   names, colors    lists of equal length, separated by blanks; hepta is the first
#   cases            a list; titles is one too, separated by |

head_pixels = 84.0
case_pixels = 218.0
height = head_pixels + words(cases) * case_pixels + 12

set terminal svg size 1080,height dynamic enhanced background "#ffffff" font "Helvetica,13"
set output out
set encoding utf8

ink = "#24292f"
quiet = "#57606a"
name(i) = word(names, i)
from_top(pixels) = 1 - pixels / height
title_of(i) = system(sprintf("echo '%s' | cut -d '|' -f %d", titles, i))

set border 1 linecolor rgb "#afb8c1"
set logscale y
set yrange [8:2e6]
set ytics ("10 ns" 10, "100 ns" 100, "1 µs" 1e3, "10 µs" 1e4, "100 µs" 1e5, "1 ms" 1e6) scale 0 \
    textcolor rgb quiet
set xrange [0:5]
set xtics ("50 %%" 0.30103, "90 %%" 1, "99 %%" 2, "99.9 %%" 3, "99.99 %%" 4, "99.999 %%" 5) \
    scale 0.4 nomirror out textcolor rgb quiet
set grid xtics ytics linetype 1 linecolor rgb "#e4e7eb" linewidth 1
unset key

set multiplot
set label 1 "{/:Bold How long each malloc and each free takes}" at screen 0.022, screen from_top(26) \
    font ",18" textcolor rgb ink
set label 2 "Share of the calls that take no longer, medians of the rounds. Grey: an interval with nothing in it." \
    at screen 0.022, screen from_top(48) textcolor rgb quiet
do for [i = 1:words(names)] {
    at = 0.022 + (i - 1) * 0.098
    set label 10 + i name(i) at screen at + 0.012, screen from_top(70) textcolor rgb ink noenhanced
    set object 10 + i circle at screen at, screen from_top(70) size screen 0.004 front \
        fillcolor rgb word(colors, i) fillstyle solid 1 noborder
}

do for [row = 1:words(cases)] {
    top = head_pixels + (row - 1) * case_pixels
    set tmargin at screen from_top(top + 30)
    set bmargin at screen from_top(top + case_pixels - 26)
    do for [half = 0:1] {
        call = half == 0 ? "malloc" : "free"
        set lmargin at screen (half == 0 ? 0.07 : 0.56)
        set rmargin at screen (half == 0 ? 0.475 : 0.965)
        set label 3 "{/:Bold " . call . "}: " . title_of(row) at graph 0, screen from_top(top + 18) left \
            textcolor rgb ink
        base = folder . "/" . word(cases, row) . "."
        plot base . "nothing" using 1:2 with filledcurves y1=8 fillcolor rgb "#eceff2" fillstyle solid 1, \
            for [i = words(names):1:-1] base . call . "." . name(i) using 1:2 with linespoints \
                pointtype 7 pointsize 0.25 linewidth (i == 1 ? 3 : 1.7) linecolor rgb word(colors, i)
        if (row == 1 && half == 0) { unset label; do for [i = 1:words(names)] { unset object 10 + i } }
    }
}
unset multiplot
