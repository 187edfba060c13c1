# Time per operation against the heap, throughput against threads, time against the share of cross-thread
# frees: one panel below the other.
#
# Called by growth.py with these variables:
#   out, folder      the picture, and where the data are: CURVE.ALLOCATOR; an empty file is no line
#   names, colors    lists of equal length, separated by blanks; hepta is the first

height = 1040.0
set terminal svg size 1080,height dynamic enhanced background "#ffffff" font "Helvetica,13"
set output out
set encoding utf8

ink = "#24292f"
quiet = "#57606a"
name(i) = word(names, i)
from_top(pixels) = 1 - pixels / height
has(file) = int(system("test -s '" . file . "'; echo $?")) == 0
line(curve, i) = folder . "/" . curve . "." . name(i)

set border 1 linecolor rgb "#afb8c1"
set ytics scale 0 textcolor rgb quiet
set xtics scale 0.4 nomirror out textcolor rgb quiet
set grid xtics ytics linetype 1 linecolor rgb "#e4e7eb" linewidth 1
set lmargin at screen 0.055
set rmargin at screen 0.975
unset key

set multiplot
set label 1 "{/:Bold What grows with the heap, with threads, with cross-thread frees}" \
    at screen 0.022, screen from_top(26) font ",18" textcolor rgb ink
do for [i = 1:words(names)] {
    at = 0.022 + (i - 1) * 0.098
    set label 10 + i name(i) at screen at + 0.012, screen from_top(52) textcolor rgb ink noenhanced
    set object 10 + i circle at screen at, screen from_top(52) size screen 0.004 front \
        fillcolor rgb word(colors, i) fillstyle solid 1 noborder
}

titles = "Nanoseconds per replacement, by MiB alive. Grey: the same memory without malloc" \
    . "|Million replacements per second of all threads together, by their number" \
    . "|Nanoseconds per replacement of two threads, by per cent of the blocks that another thread frees"
do for [panel = 1:3] {
    curve = word("heap_mib threads cross_percent", panel)
    top = 70 + (panel - 1) * 323
    set tmargin at screen from_top(top + 30)
    set bmargin at screen from_top(top + 290)
    set label 3 "{/:Bold " . system("echo '" . titles . "' | cut -d '|' -f " . panel) . "}" \
        at screen 0.022, screen from_top(top + 14) left textcolor rgb ink
    unset logscale
    if (panel < 3) { set logscale x 2; set xtics 2; set xrange [1:*] } else { set xtics 10; set xrange [0:100] }
    set yrange [0:*]
    limit = folder . "/" . curve . ".limit"
    files = ""
    tints = ""
    do for [i = words(names):1:-1] {
        if (has(line(curve, i))) { files = files . " " . line(curve, i); tints = tints . " " . word(colors, i) }
    }
    if (words(files) > 0) {
        if (has(limit)) {
            plot limit using 1:2 with filledcurves y1=0 fillcolor rgb "#e4e7eb" fillstyle solid 1, \
                for [i = 1:words(files)] word(files, i) using 1:2 with linespoints pointtype 7 pointsize 0.4 \
                    linewidth (i == words(files) ? 3 : 1.8) linecolor rgb word(tints, i)
        } else {
            plot for [i = 1:words(files)] word(files, i) using 1:2 with linespoints pointtype 7 pointsize 0.4 \
                linewidth (i == words(files) ? 3 : 1.8) linecolor rgb word(tints, i)
        }
        unset label
        do for [i = 1:words(names)] { unset object 10 + i }
    }
}
unset multiplot
