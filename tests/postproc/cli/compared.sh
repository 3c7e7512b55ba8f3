# SPDX-License-Identifier: GPL-3.0-or-later
# A release against what was measured: rocks against themselves, against a sample moved by a known distance,
# and tables that are wrong.
. "$TALUS_SOURCE/tests/support/common.sh"
sed '/^good=/,$d' "$TALUS_SOURCE/tests/solver/cli/release.sh" | sed 1,/common.sh/d >functions.sh
. ./functions.sh
release='[release]
rocks = 60
from_m = 1050 2125
size_m = 0.6
[target.road]
line_m = 1000 2062 1100 2062'
write_site "$release"
"$TALUS_BIN/talus-ingest" site.ini -q --out out || fail "ingest"
"$TALUS_BIN/talus-mesh" site.ini -q --out out || fail "mesh"
"$TALUS_BIN/talus-solve" site.ini -q --out out || fail "solve"
post="$TALUS_BIN/talus-post"
"$post" site.ini -q --out out || fail "post without observations"
grep -q 'Against what was measured' out/report.html && fail "a comparison with nothing"
value() { # SCORE of out/scores.json
    awk -v key="\"$1\":" '$1 == key {hit = 1} hit && /"value"/ {sub(/,$/, "", $2); print $2; exit}' out/scores.json
}
number() { # QUANTITY WHERE KEY: a number of its row, inside the object WHERE
    awk -v q="\"$1\"" -v where="\"$2\":" -v key="\"$3\":" -F '\t' '
        index($0, "\"quantity\"") {row = index($0, q) > 0}
        row && index($0, where) {hit = 1}
        row && hit && index($0, key) {v = $NF; sub(/,$/, "", v); print v; exit}' out/scores.json
}
[ "$(value stops_distance_m)" = null ] || fail "a score without an observation: $(value stops_distance_m)"
# The rocks against themselves: no difference. Where each one ends is read by other code, from rocks.nc.
netcdf_values out/rocks.nc sample_count >counts.txt
netcdf_values out/rocks.nc x >x.txt
netcdf_values out/rocks.nc y >y.txt
paste x.txt y.txt | awk 'NR == FNR {last += $1; end[last] = 1; next} end[FNR] {print $1 "," $2}' counts.txt - >stops.csv
[ "$(wc -l <stops.csv)" -eq 60 ] || fail "$(wc -l <stops.csv) stops"
cp out/crossings.csv passed.csv
write_site "$release" 'observed = passed.csv' '[report]' 'stops = stops.csv'
expect 0 'Travel: median' "$post" site.ini --out out --overwrite
# Tables are rounded: of two equal values either may come first, which is one rock of 60.
awk "BEGIN {one = 1.001 / 60; exit !($(value stops_ks_along) < one && $(value stops_ks_across) < one &&
    $(value passages_ks) < one && $(value stops_distance_m) ^ 2 < 1e-12)}" ||
    fail "rocks differ from themselves: $(value stops_ks_along) $(value stops_distance_m) $(value passages_ks)"
grep -q 'Against what was measured' out/report.html || fail "the report compares nothing"
# Quantiles of the travel against those of a sorted list (type 7).
awk -F, '{printf "%.9f\n", sqrt(($1 - 1050) ^ 2 + ($2 - 2125) ^ 2)}' stops.csv | sort -g >travel.txt
for at in 0.05:p05 0.5:p50 0.95:p95; do
    wanted=$(awk -v p="${at%:*}" '{v[NR] = $1} END {h = 1 + (NR - 1) * p; k = int(h); print v[k] + (h - k) * (v[k + (k < NR)] - v[k])}' travel.txt)
    got=$(number Travel "${at#*:}" simulated)
    awk "BEGIN {exit !(($got - $wanted) ^ 2 < 1e-4)}" || fail "travel ${at#*:} is $got, not $wanted"
done
# The interval of the median of 60: ranks 30 -+ 1.96 sqrt(15), rounded up, are 23 and 38.
for side in low:23 high:38; do
    got=$(number Travel p50 "observed_${side%:*}") wanted=$(sed -n "${side#*:}p" travel.txt)
    awk "BEGIN {exit !(($got - $wanted) ^ 2 < 1e-4)}" || fail "the ${side%:*} end of the median is $got, not $wanted"
done
# All stops moved by 500 m, off a terrain of 140 m: no observation of this place.
awk -F, '{print $1 "," $2 - 500}' stops.csv >moved.csv
sed -i 's/stops.csv/moved.csv/' site.ini
expect 1 'moved.csv:1: none of its 60 stops lies on the terrain' "$post" site.ini --out out --overwrite
# All but one moved by 130 m, over the rim: they count, which is told; the shares differ by all but that one, and the energy distance
# is what its definition says.
awk -F, '{print $1 "," $2 - (NR > 1 ? 130 : 0)}' stops.csv >moved.csv
expect 0 '59 of 60 observed stops (98 %) lie outside the terrain' "$post" site.ini --out out --overwrite
grep -q '<li>59 of 60 observed stops (98 %) lie outside the terrain' out/report.html || fail "the report does not tell of stops outside"
wanted=$(awk -F, '{x[NR] = $1; y[NR] = $2} END {
    n = NR / 2
    for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++) {
        d = sqrt((x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2) / n ^ 2
        sum += (i <= n) == (j <= n) ? -d : d
    }
    print sum}' stops.csv moved.csv)
awk "BEGIN {exit !(($(value stops_ks_along) - 59 / 60) ^ 2 < 1e-12 && ($(value stops_distance_m) - $wanted) ^ 2 < 1e-4)}" ||
    fail "moved by 130 m: $(value stops_ks_along), $(value stops_distance_m) instead of $wanted"
# Some columns, in another order, with gaps; twice the velocities of half of the rocks.
awk -F, 'NR == 1 {print "name;velocity_mps;centre_height_m"} NR > 1 {print $2 ";" 1000 + $9 ";" (NR % 2 ? $11 : "")}' passed.csv >passed2.csv
sed -i 's/passed.csv/passed2.csv/' site.ini
"$post" site.ini -q --out out --overwrite || fail "passages with gaps"
[ "$(number Velocity deviation observed)" != "" ] && [ "$(grep -c '"quantity"' out/scores.json)" -eq 4 ] ||
    fail "rows of the comparison: $(grep '"quantity"' out/scores.json)"
awk "BEGIN {exit !($(value passages_ks) > 0.5 && $(value passages_ks) < 0.8)}" || fail "one of two differs wholly: $(value passages_ks)"
# What is wrong is named with its line.
printf 'velocity_mps,height\n12,1\nfast,2\n' >passed2.csv
expect 1 "passed2.csv:3: velocity_mps = 'fast' must be a number" "$post" site.ini --out out --overwrite
printf 'velocity_mps\n12\n-3\n' >passed2.csv
expect 1 "passed2.csv:3: velocity_mps = '-3' must be a number of 0 or more" "$post" site.ini --out out --overwrite
printf 'speed,height\n12,1\n' >passed2.csv
expect 1 'passed2.csv:1: no column is named energy_kj' "$post" site.ini --out out --overwrite
printf 'velocity_mps\n' >passed2.csv
expect 1 'passed2.csv: no passages in it' "$post" site.ini --out out --overwrite
rm passed2.csv
expect 2 'passed2.csv' "$post" site.ini --out out --overwrite
exit "$failures"
