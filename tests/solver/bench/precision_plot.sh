#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From precision.csv: precision-errors.csv, a row per setting with its processor time and its errors, and a figure per
# scene. An error is the distance of the mean over the starts from that of the reference; for overlap and drift,
# whose true value is nothing, it is the mean itself. The floor is two standard errors of a difference
# of two such means, by the scatter of the reference: what chaos alone makes. Kinetic energy is in percent of the
# peak, of a wall, which stands, in joules.
set -eu
export LC_ALL=C
awk -F , '
    function slot(q) { return q < 7 ? 7 + q : q < 9 ? 8 + q : 0 } # front .. height, deepest, drift
    { key = $1 "," $2 "," $3 "," $4 "," $5
      if (!(key in runs)) { keys[++count] = key; if (!($1 in reference)) { reference[$1] = key } }
      runs[key]++; cpu[key] += $7
      for (q = 1; q <= 8; q++) { sum[key, q] += $(slot(q)); square[key, q] += $(slot(q)) ^ 2 }
      frames = NF - 16
      for (f = 1; f <= frames; f++) { energy[key, f] += $(16 + f); energy2[key, f] += $(16 + f) ^ 2 } }
    function mean(key, q) { return sum[key, q] / runs[key] }
    function deviation(total, total2, n,    v) {
        v = n > 1 ? (total2 - total * total / n) / (n - 1) : 0
        return v > 0 ? sqrt(v) : 0
    }
    function unit(ref,    f, peak) {
        for (f = 1; f <= frames; f++) {
            if (energy[ref, f] / runs[ref] > peak) { peak = energy[ref, f] / runs[ref] }
        }
        return ref ~ /wall/ ? 1 : peak / 100
    }
    function kinetic(key, ref,    f, d, s) {
        for (f = 1; f <= frames; f++) {
            d = energy[key, f] / runs[key] - energy[ref, f] / runs[ref]
            s += d * d / frames
        }
        return sqrt(s) / unit(ref)
    }
    function kinetic_floor(ref,    f, s) {
        for (f = 1; f <= frames; f++) {
            s += deviation(energy[ref, f], energy2[ref, f], runs[ref]) ^ 2 / frames
        }
        return sqrt(s) * 2 * sqrt(2 / runs[ref]) / unit(ref)
    }
    BEGIN {
        print "scene,end_s,engine,effort,dt_s,starts,cpu_s,front_mm,centroid_mm,travel05_mm,travel50_mm,travel95_mm,height_mm,overlap_mm,drift_mm,kinetic"
    }
    END {
        for (k = 1; k <= count; k++) {
            key = keys[k]; split(key, part, ","); ref = reference[part[1]]
            line = key "," runs[key] sprintf(",%.4g", cpu[key] / runs[key])
            for (q = 1; q <= 6; q++) {
                e = key == ref ? 2 * sqrt(2 / runs[ref]) * deviation(sum[ref, q], square[ref, q], runs[ref]) \
                               : mean(key, q) - mean(ref, q)
                line = line sprintf(",%.3g", 1e3 * (e < 0 ? -e : e))
            }
            line = line sprintf(",%.3g,%.4g,%.3g", mean(key, 7), mean(key, 8), \
                                key == ref ? kinetic_floor(ref) : kinetic(key, ref))
            sub(/,talus,/, key == ref ? ",floor," : ",talus,", line)
            print line
        }
    }' precision.csv >precision-errors.csv
column -s , -t precision-errors.csv
# Points of others that no setting of talus matches in time and error at once, beyond what chaos explains.
echo "below or left of our curve:"
awk -F , 'NR == 1 { for (c = 8; c <= 16; c++) { name[c] = $c } next }
    { n++; scene[n] = $1; who[n] = $3; label[n] = $3 " " $4 " at " $5 " s"; cpu[n] = $7
      if ($3 == "talus" && (!($1 in least) || $7 < least[$1])) { least[$1] = $7 }
      for (c = 8; c <= 16; c++) { error[n, c] = $c; if ($3 == "floor" && c != 14 && c != 15) { chaos[$1, c] = $c } } }
    END {
        for (p = 1; p <= n; p++) {
            if (who[p] == "talus" || who[p] == "floor") { continue }
            line = ""
            for (c = 8; c <= 16; c++) {
                is_matched = 0
                for (q = 1; q <= n; q++) {
                    is_matched = is_matched || (who[q] == "talus" && scene[q] == scene[p] && cpu[q] <= cpu[p] && \
                        (error[q, c] <= error[p, c] || error[q, c] <= chaos[scene[p], c]))
                }
                if (!is_matched && !(c == 15 && scene[p] !~ /wall/)) { line = line " " name[c] }
            }
            if (cpu[p] < least[scene[p]]) { line = " cheaper than any setting of talus" }
            if (line != "") { print "  " scene[p] ", " label[p] ":" line }
        }
    }' precision-errors.csv
command -v gmt >/dev/null || { echo "no figures: GMT is not installed"; exit 0; }

# table SCENE ENGINE COLUMN: time and error of an engine, at least 1e-3 (a log axis has no zero).
table() {
    awk -F , -v s="$1" -v e="$2" -v c="$3" '$1 == s && $3 == e && $c != "" { print $7, ($c > 1e-3 ? $c : 1e-3) }' precision-errors.csv
}
# The lower left border of a cloud of points, as steps.
border() {
    sort -g | awk 'NR == 1 || $2 < low { if (NR > 1) { print $1, low } print $1, $2; low = $2 } END { print 1e6, low }'
}
# panel SCENE COLUMN LABEL: errors in one quantity over processor time.
panel() {
    range=$(for engine in talus bullet ode box3d; do table "$1" "$engine" "$2"; done | awk '
        { if (NR == 1 || $1 < a) { a = $1 } if ($1 > b) { b = $1 } if (NR == 1 || $2 < c) { c = $2 } if ($2 > d) { d = $2 } }
        END { printf "-R%g/%g/%g/%g", a / 1.7, b * 1.7, c / 2, d * 2 }')
    gmt basemap "$range" -JX?l/?l -Bxa2f3+l"CPU time (s)" -Bya1pf3+l"$3" -BWSne -c
    floor=$(table "$1" floor "$2" | cut -d ' ' -f 2)
    case $2 in
        14 | 15) ;; # of overlap and drift the reference has its own value, not a scatter
        *) printf '1e-9 %s\n1e9 %s\n1e9 1e-9\n1e-9 1e-9\n' "$floor" "$floor" | gmt plot -Ggray90 ;;
    esac
    table "$1" talus "$2" | border | gmt plot -W1p,black
    table "$1" talus "$2" | gmt plot -Sc0.22c -Gblack
    table "$1" bullet "$2" | gmt plot -Ss0.22c -G213/94/0
    table "$1" ode "$2" | gmt plot -St0.24c -G0/114/178
    table "$1" box3d "$2" | gmt plot -Sd0.24c -G0/158/115
}
for scene in $(tail -n +2 precision-errors.csv | cut -d , -f 1 | sort -u); do
    gmt begin "precision-$scene" png A+m0.4c,E150
    gmt set FONT_ANNOT_PRIMARY 7p FONT_LABEL 8p FONT_HEADING 11p MAP_FRAME_PEN 0.5p
    gmt subplot begin 2x4 -Fs5.2c/4.2c -M0.9c/0.6c/0.55c/0.55c -T"$scene: black talus, squares Bullet, triangles ODE, diamonds Box3D; gray: chaos"
    panel "$scene" 8 "front (mm)"
    panel "$scene" 9 "centroid (mm)"
    panel "$scene" 10 "travel, 5th percentile (mm)"
    panel "$scene" 11 "travel, median (mm)"
    panel "$scene" 12 "travel, 95th percentile (mm)"
    case $scene in
        *wall) panel "$scene" 15 "drift (mm)" && panel "$scene" 16 "kinetic energy (J)" ;;
        *) panel "$scene" 13 "height of heap (mm)" && panel "$scene" 16 "kinetic energy (% of peak)" ;;
    esac
    panel "$scene" 14 "deepest overlap (mm)"
    gmt subplot end
    gmt end
done
