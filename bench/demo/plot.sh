# shellcheck shell=sh disable=SC2154 # $here and $out are the sourcing script's
# plot.sh: draws what the CSV files of a demonstration say. To be sourced; needs $here and $out.

# The colour of an allocator, the same in every picture.
color_of() {
    case $1 in
    hepta) echo '#0969da' ;;
    system*) echo '#e36209' ;;
    jemalloc) echo '#8250df' ;;
    mimalloc) echo '#1a7f37' ;;
    *) echo '#bf3989' ;;
    esac
}

# A band and a name for each phase of a CSV file; a phase too short for its name goes without.
annotate_phases() {
    awk -F, -v end_s="$1" '
        function finish(until_s) {
            if (name == "") return
            gsub("_", " ", name)
            if (++count % 2 == 0)
                printf "set object rect from %s, graph 0 to %s, graph 1 behind " \
                    "fillcolor rgb \"#f3f5f8\" fillstyle solid 1 noborder\n", begin_s, until_s
            if (until_s - begin_s > end_s * 0.03)
                printf "set label \"%s\" at %s, graph 0.955 center font \",13\" " \
                    "textcolor rgb quiet\n", name, (begin_s + until_s) / 2
        }
        /^[0-9]/ && $2 != phase { finish($1 / 1000); begin_s = $1 / 1000; name = phase = $2 }
        END { finish(end_s) }
    ' "$2"
}

# A label at the end of each line, moved apart where two would overlap. Reads "name,color,kib".
annotate_ends() {
    sort -t, -k3,3n | awk -F, -v top_mib="$1" '
        {
            mib = $3 / 1024
            at = mib < lowest ? lowest : mib
            lowest = at + top_mib * 0.047
            gsub("_", " ", $1)
            printf "set label \"{/:Bold %s %.*f MiB}\" at graph 1.012, first %s left " \
                "textcolor rgb \"%s\"\n", $1, mib < 100, mib, at, $2
        }'
}

# draw_rss OUTPUT HEADING SUBHEADING NAME CSV [NAME CSV]...
# Files are relative to $out: the lists that gnuplot gets are separated by blanks.
# The first CSV also gives the phases and the live bytes. "_" in a name means a blank.
# Columns: time_ms,phase,rss_kib,live_kib,...; a comment and a line of names come first.
draw_rss() (
    output=$1 heading=$2 subheading=$3
    shift 3
    cd "$out" || exit 1
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    first=$2 files='' names='' colors=''
    while [ $# -gt 0 ]; do
        names="$names $1" files="$files $2" colors="$colors $(color_of "$1")"
        tail -n 1 "$2" | awk -F, -v OFS=, -v name="$1" -v color="$(color_of "$1")" \
            '{ print name, color, $3 }' >>"$work/ends"
        shift 2
    done
    # shellcheck disable=SC2086 # a list of files
    size=$(awk -F, '
        /^[0-9]/ { if ($1 > end) end = $1; if ($3 > top) top = $3; if ($4 > top) top = $4 }
        END { printf "%.2f %.0f", end / 1000, top / 1024 * 1.2 + 1 }
    ' $files)
    annotate_phases "${size% *}" "$first" >"$work/annotations"
    annotate_ends "${size#* }" <"$work/ends" >>"$work/annotations"
    gnuplot -e "out='$output'; heading='$heading'; subheading='$subheading'" \
        -e "files='$files'; names='$names'; colors='$colors'; annotations='$work/annotations'" \
        -e "end_s=${size% *}; top_mib=${size#* }" "$here/rss.gnuplot"
)
