#!/bin/bash
# Ghostscript draws pages: ghostscript.sh ghostscript [scale=F]
. "$(dirname "$0")/common.sh"

needs gs
generated pages "$scale"
measured "$scratch/pages.ppm" gs -q -dSAFER -dBATCH -dNOPAUSE -sDEVICE=ppmraw -r60 \
    -o "$scratch/pages.ppm" "$input/pages.ps"
