# SPDX-License-Identifier: GPL-3.0-or-later
# Stage programs that stand in for the real ones, for tests of studies: each writes what it was asked for
# and adds a line to $FAKE_TRACE. Sourced; makes the folder ./bin and sets TALUS_BIN_DIR.
#
# The simulated runout grows as friction falls: 100 m at friction 0.5, the overlap with it. The volume is right
# at friction 0.4, the centroid at 0.6, the mass along the line at 0.7. Friction above 0.95 makes the solver
# fail. FAKE_SLEEP is how long the solver takes.
mkdir -p bin
TALUS_BIN_DIR=$PWD/bin
FAKE_TRACE=$PWD/trace
FAKE_SLEEP=${FAKE_SLEEP:-0}
export TALUS_BIN_DIR FAKE_TRACE FAKE_SLEEP
: >trace
cat >bin/fake-stage <<'STUB'
#!/bin/sh
set -eu
stage=$1 site=$2
shift 2
# The value of SECTION.KEY: the last --set, else the line of the site file.
value() {
    found=$(sed -n "/^\[$1\]/,/^\[/s/^$2 = *//p" "$site")
    for word in $sets; do
        case $word in "$1.$2="*) found=${word#*=} ;; esac
    done
    echo "$found"
}
sets='' out=''
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=$2; shift ;;
        --set) case $2 in *'
'*) ;; *) sets="$sets $2" ;; esac; shift ;;
        --threads | --progress) shift ;;
    esac
    shift
done
echo "$stage ${out##*-}" >>"$FAKE_TRACE"
case $stage in
    ingest)
        echo "cell $(value ingest cell_m)" >"$out/ingest.json" ;;
    mesh)
        cat "$out/ingest.json" >/dev/null
        echo "blocks $(value mesh block_count) seed $(value random seed) run $(value random run)" >"$out/blocks.nc" ;;
    solve)
        friction=$(value contact friction)
        echo half >"$out/run.nc.part"
        [ "$FAKE_SLEEP" = 0 ] || sleep "$FAKE_SLEEP"
        if awk "BEGIN { exit !($friction > 0.95) }"; then
            echo "talus-solve: error: blocks of $out stick to the sky at friction $friction" >&2
            exit 1
        fi
        echo "$friction $(value contact restitution) $(value contact tangential_restitution) $(cat "$out/blocks.nc")" >"$out/run.nc.part"
        mv "$out/run.nc.part" "$out/run.nc" ;;
    post)
        read -r friction restitution tangential rest <"$out/run.nc"
        awk -v f="$friction" -v r="$restitution" -v t="$tangential" 'BEGIN {
            runout = 100 + 200 * (0.5 - f) + 0 * r * t
            error = runout - 100
            iou = 1 - (error < 0 ? -error : error) / 100
            printf "{\"scores\": {\"iou\": {\"value\": %.9g}, \"runout_error_m\": {\"value\": %.9g}, \"runout_surveyed_m\": {\"value\": 100}, \"runout_simulated_m\": {\"value\": %.9g}, ", iou, error, runout
            printf "\"volume_ratio\": {\"value\": %.9g}, \"centroid_distance_m\": {\"value\": %.9g}, \"emd_m\": {\"value\": %.9g}}}\n", 1.4 - f, 100 * sqrt((f - 0.6) ^ 2), 100 * sqrt((f - 0.7) ^ 2)
        }' >"$out/scores.json"
        echo "<html>$(value report title)</html>" >"$out/report.html" ;;
esac
STUB
chmod +x bin/fake-stage
for stage in ingest mesh solve post; do
    printf '#!/bin/sh\nexec "${0%%/*}/fake-stage" %s "$@"\n' "$stage" >"bin/talus-$stage"
    chmod +x "bin/talus-$stage"
done
