# SPDX-License-Identifier: GPL-3.0-or-later
# For scripts that begin with `. "$TALUS_SOURCE/tests/support/common.sh"`: failures that are counted in
# $failures, `expect`, and numbers of NetCDF files.
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE WORDS COMMAND...: the command ends with CODE and says WORDS.
expect() {
    code=$1 words=$2
    shift 2
    "$@" >out.txt 2>err.txt
    got=$?
    [ "$got" -eq "$code" ] || fail "$* ended with $got instead of $code: $(cat err.txt)"
    grep -q -e "$words" err.txt out.txt || fail "$* does not say '$words': $(cat err.txt)"
}

# netcdf_values FILE VARIABLE: its numbers, one per line.
netcdf_values() {
    ncdump -v "$2" "$1" | awk -v name="$2" '/^data:/ {data = 1}
        data && $1 == name && $2 == "=" {on = 1; $1 = $2 = ""}
        on {last = /;/; gsub(/[,;]/, " "); for (i = 1; i <= NF; i++) if ($i != "") print $i; if (last) exit}'
}
