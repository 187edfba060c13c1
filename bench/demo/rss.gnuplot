# Memory over time: a line per allocator, and behind them, as an area, what the program holds.
#
# Called by plot.sh with these variables:
#   out, heading, subheading
#   files, names, colors   lists of equal length, separated by blanks; "_" in a name means a blank
#   annotations            gnuplot commands: bands of the phases, labels at the ends of the lines
#   end_s, top_mib         the picture's size in its units

set terminal svg size 1080,580 dynamic enhanced background "#ffffff" rounded font "Helvetica,14"
set output out
set encoding utf8
set datafile separator ","

ink = "#24292f"
quiet = "#6e7781"

set lmargin 9
set rmargin 23
set tmargin 4.6
set bmargin 4
set label "{/:Bold " . heading . "}" at screen 0.022, screen 0.945 font ",19" textcolor rgb ink
set label subheading at screen 0.022, screen 0.89 font "Helvetica,14" textcolor rgb quiet

set border 1 linecolor rgb "#afb8c1" linewidth 1
set grid ytics linetype 1 linecolor rgb "#e4e7eb" linewidth 1
set xtics nomirror out scale 0.5 textcolor rgb quiet
set ytics nomirror scale 0 textcolor rgb quiet
set xlabel "seconds" textcolor rgb quiet offset 0, 0.4
set ylabel "MiB" textcolor rgb quiet offset 1.5, 0
set xrange [0:end_s]
set yrange [0:top_mib]
set key at graph 0.012, graph 0.9 left top Left reverse invert
set key samplen 2 spacing 1.35 textcolor rgb ink

load annotations

seconds(ms) = ms / 1000.0
mib(kib) = kib / 1024.0
name(i) = system("echo " . word(names, i) . " | tr _ ' '")

# The first file is drawn last, on top, and thicker.
plot word(files, 1) every ::1 using (seconds($1)):(mib($4)) with filledcurves y1=0 \
        fillstyle solid 1 noborder fillcolor rgb "#d0d7de" title "held by the program", \
    for [i = words(files):1:-1] word(files, i) every ::1 using (seconds($1)):(mib($3)) with lines \
        linewidth (i == 1 ? 3.4 : 2.2) linecolor rgb word(colors, i) title name(i)
