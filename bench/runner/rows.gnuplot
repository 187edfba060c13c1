# Every row of the bench as a line of dots, one for each allocator: how many times the best peer it took.
# A bar from the best peer to hepta, blue where hepta wins and red where it loses.
#
# Called by plots.py with these variables:
#   out, folder      the picture, and where the data are: NAME.txt for each allocator, and names.gnuplot
#   names, colors    lists of equal length, separated by blanks; hepta is the first
#   lines            how many lines the picture is high
#   least, most      the ends of the axis

line_pixels = 18
head_pixels = 128
foot_pixels = 34
height = lines * line_pixels + head_pixels + foot_pixels

set terminal svg size 1080,height dynamic enhanced background "#ffffff" font "Helvetica,13"
set output out
set encoding utf8

ink = "#24292f"
quiet = "#57606a"
name(i) = word(names, i)
file(i) = folder . "/" . name(i) . ".txt"
from_top(pixels) = 1 - 1.0 * pixels / height

set border 0
set logscale x 2
set xrange [least:most]
set yrange [lines:0]
set xtics ("0.25" 0.25, "0.5" 0.5, "0.75" 0.75, "1" 1, "1.5" 1.5, "2" 2, "3" 3, "4" 4, "6" 6, "8" 8, "12" 12) \
    scale 0 textcolor rgb quiet offset 0, 0.3
set x2range [least:most]
set logscale x2 2
set x2tics ("0.25" 0.25, "0.5" 0.5, "1" 1, "2" 2, "4" 4, "8" 8) scale 0 textcolor rgb quiet offset 0, -0.4
set grid xtics linetype 1 linecolor rgb "#e4e7eb" linewidth 1
unset ytics
unset key
set bars 0

set multiplot

set tmargin at screen from_top(head_pixels)
set bmargin at screen 1.0 * foot_pixels / height

set label 1 "{/:Bold Time and peak memory of every row, as multiples of the best peer}" \
    at screen 0.022, screen from_top(24) font ",18" textcolor rgb ink
set label 2 "Median; to the left of 1 is better than the best of Debian’s allocators. A ring at an edge lies beyond it." \
    at screen 0.022, screen from_top(46) textcolor rgb quiet
# The legend, by hand: one line above both halves.
do for [i = 1:words(names)] {
    at = 0.022 + (i - 1) * 0.098
    set label 10 + i name(i) at screen at + 0.012, screen from_top(70) textcolor rgb ink noenhanced
    set object 10 + i circle at screen at, screen from_top(70) size screen (i == 1 ? 0.0052 : 0.004) \
        front fillcolor rgb word(colors, i) fillstyle solid 1 noborder
}

do for [half = 0:1] {
    if (half == 1) { unset label; do for [i = 1:words(names)] { unset object 10 + i } }
    set lmargin at screen (half == 0 ? 0.205 : 0.625)
    set rmargin at screen (half == 0 ? 0.58 : 0.985)
    set label 3 (half == 0 ? "{/:Bold Time}" : "{/:Bold Peak RSS}") at graph 0, screen from_top(100) \
        left textcolor rgb ink
    if (half == 0) { load folder . "/names.gnuplot" }
    set object 1 rectangle from graph 0, graph 0 to first 1, graph 1 behind \
        fillcolor rgb "#f1f6fd" fillstyle solid 1 noborder
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead back linewidth 1.4 linecolor rgb "#8c959f"
    plot file(1) index half using (1):1:($2 - 1):(0) with vectors nohead linewidth 3.4 \
            linecolor rgb "#b6d4fb", \
        file(1) index half using (1):1:($2 > 1 ? $2 - 1 : NaN):(0) with vectors nohead linewidth 3.4 \
            linecolor rgb "#ffc9c4", \
        for [i = words(names):2:-1] file(i) index half using ($3 == 0 ? $2 : NaN):1 with points \
            pointtype 7 pointsize 0.62 linecolor rgb word(colors, i), \
        for [i = words(names):2:-1] file(i) index half using ($3 == 1 ? $2 : NaN):1 with points \
            pointtype 6 pointsize 0.62 linewidth 1.6 linecolor rgb word(colors, i), \
        file(1) index half using 2:1 with points pointtype 7 pointsize 1.02 linecolor rgb "#ffffff", \
        file(1) index half using 2:1 with points pointtype 7 pointsize 0.88 \
            linecolor rgb word(colors, 1), \
        file(1) index half using ($3 == 1 ? $2 : NaN):1 with points pointtype 7 pointsize 0.45 \
            linecolor rgb "#ffffff"
}
unset multiplot
