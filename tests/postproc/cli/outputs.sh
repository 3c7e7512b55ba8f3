#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# talus-post as a user meets it: files that other programs read, the same bytes twice, mistakes with a
# way out, and studies with little or nothing in them.
set -u
post=$TALUS_BIN/talus-post
scene=$TALUS_TEST_BIN/post-make-scene
. "$TALUS_SOURCE/tests/support/common.sh"

quick="--set report.figures=no --set report.paraview_mb=1 --progress none"

expect 0 'ParaView' "$post" --help
mkdir nothing
echo '[report]' >nothing/site.ini
expect 1 'run talus-ingest first' "$post" nothing/site.ini --out nothing
for name in ingest.json bed.tif source.tif terrain.nc blocks.nc run.nc; do
    grep -q "$name" err.txt || fail "a missing $name is not named"
done

# A study with everything; twice from different places.
"$scene" a blocks=60 frames=41 || fail "no scene"
mkdir -p elsewhere && cp -r a elsewhere/b
expect 0 'IoU' "$post" a/site.ini --out a $quick
expect 1 'overwrite' "$post" a/site.ini --out a $quick
expect 0 'IoU' "$post" a/site.ini --out a --overwrite $quick
expect 0 'IoU' "$post" elsewhere/b/site.ini --out elsewhere/b $quick
for name in thickness.tif solid.tif surface.tif block_count.tif passages.tif velocity_max.tif \
    energy_max.tif energy_translation_max.tif energy_rotation_max.tif jump_height.tif arrival.tif \
    reach.tif maps.nc scores.json scores.csv result.gpkg result.qgz blocks.pvd report.html; do
    [ -s "a/$name" ] || fail "a/$name is missing"
    cmp -s "a/$name" "elsewhere/b/$name" || fail "$name differs between two folders"
done
find . -name '*.part*' | grep -q . && fail "a part was left behind"

# What GDAL says of the maps; the NetCDF is not flipped.
if command -v gdalinfo >/dev/null; then
    for name in thickness solid velocity_max arrival; do
        gdalinfo "a/$name.tif" >info.txt 2>&1 || fail "gdalinfo does not read $name.tif"
        grep -q 'LAYOUT=COG' info.txt || fail "$name.tif is not Cloud Optimized"
        grep -q 'Origin = (712000.0*,1637000.0*)' info.txt || fail "$name.tif lies elsewhere"
        for cell in '100 50' '90 60' '110 70' '40 60' '3 3'; do
            # shellcheck disable=SC2086
            tiff=$(gdallocationinfo -valonly "a/$name.tif" $cell)
            # shellcheck disable=SC2086
            netcdf=$(gdallocationinfo -valonly "NETCDF:a/maps.nc:$name" $cell)
            [ "$tiff" = "$netcdf" ] || fail "$name at $cell: $tiff in the GeoTIFF, $netcdf in maps.nc"
        done
    done
    "$scene" local local=1 blocks=60 frames=41
    expect 0 'IoU' "$post" local/site.ini --out local $quick
    tiff=$(gdallocationinfo -valonly local/thickness.tif 95 58)
    netcdf=$(gdallocationinfo -valonly NETCDF:local/maps.nc:thickness 95 58)
    [ "$tiff" = "$netcdf" ] || fail "without a coordinate system maps.nc is flipped"
    gdalinfo a/thickness.tif | grep -q 'Unit Type: m' || fail "thickness.tif does not say metres"
    ogrinfo -so a/result.gpkg >info.txt 2>&1 || fail "ogrinfo does not read result.gpkg"
    for layer in 'blocks (Polygon)' 'block_points (3D Point)' \
        'trajectories (3D Measured Line String)' 'simulated_outline (Multi Polygon)' \
        'surveyed_outline (Multi Polygon)' 'flow_line' 'scores (None)'; do
        grep -q "$layer" info.txt || fail "result.gpkg has no layer $layer"
    done
    [ "$(ogrinfo -so a/result.gpkg blocks | grep -c 'Feature Count: 60')" -eq 1 ] ||
        fail "not every block is in result.gpkg"
fi
if command -v ncdump >/dev/null; then
    ncdump -h a/maps.nc >header.txt || fail "ncdump does not read maps.nc"
    for line in 'Conventions = "CF-1' 'thickness:units = "m"' 'thickness:grid_mapping = "crs"' \
        'x:standard_name = "projection_x_coordinate"' 'y:axis = "Y"' 'crs:crs_wkt' \
        'arrival:units = "s"' 'energy_max:units = "kJ"'; do
        grep -q "$line" header.txt || fail "maps.nc lacks $line"
    done
    bare=$(awk '/^\t(float|double) /{split($2, n, "("); name[n[1]]=1}
        /:units = /{split($1, n, ":"); delete name[n[1]]} END {for (one in name) print one}' header.txt)
    [ -z "$bare" ] || fail "variables without units: $bare"
fi

# An ensemble: intervals, quantiles, reach between 0 and 1.
for run in 1 2 3; do
    mkdir -p "runs/$run"
    "$scene" "full$run" blocks=60 frames=41 "run=$run"
    cp "full$run/blocks.nc" "full$run/run.nc" "runs/$run"
done
expect 0 'IoU' "$post" a/site.ini runs/1 runs/2 runs/3 --out a --overwrite $quick
for name in thickness_mean.tif thickness_p05.tif thickness_p50.tif thickness_p95.tif \
    velocity_max_p95.tif energy_max_p95.tif arrival_p05.tif; do
    [ -s "a/$name" ] || fail "the ensemble has no $name"
done
awk -F, '$1 == "iou" && $4 < $6 && $4 <= $3 && $3 <= $6 {found=1} END {exit !found}' a/scores.csv ||
    fail "the interval of the overlap over three runs is wrong: $(grep iou a/scores.csv)"
# Of three sorted values the 5 % quantile is a tenth of the way from the first to the second, and the
# 95 % quantile a tenth short of the third.
sed -n '/"by_run"/,$ s/^.*"\([a-z_0-9]*\)":[^0-9-]*\([-0-9.e]*\).*/\1,\2/p' a/scores.json | sort -t, -k1,1 -k2,2g >by_run.txt
awk -F, 'NR == FNR {count[$1]++; value[$1, count[$1]] = $2; next}
    count[$1] == 3 && $4 != "" {
        low = 0.9 * value[$1, 1] + 0.1 * value[$1, 2]; high = 0.9 * value[$1, 3] + 0.1 * value[$1, 2]
        slack = 1e-18 * (1 + high * high); seen++
        if ((low - $4) ^ 2 > slack || (value[$1, 2] - $5) ^ 2 > slack || (high - $6) ^ 2 > slack) {
            print "FAILED: " $1 " over the runs is not " low, value[$1, 2], high ": " $0; bad = 1}}
    END {if (seen < 15) print "FAILED: only " seen + 0 " scores have an interval"; exit bad || seen < 15}' \
    by_run.txt a/scores.csv || failures=$((failures + 1))
# The survey says 7 % of its own volume: so does the volume's interval, and the ratio's inversely. At
# the low end a few thin cells fall below the level of detection.
awk -F, '$1 == "volume_surveyed_m3" {if (($7 / $3 - 0.93) ^ 2 < 1e-6 && ($8 / $3 - 1.07) ^ 2 < 1e-10) ok++}
    $1 == "volume_ratio" {if (($7 / $3 - 1 / 1.07) ^ 2 < 1e-10 && ($8 / $3 - 1 / 0.93) ^ 2 < 1e-6) ok++}
    END {exit ok != 2}' a/scores.csv ||
    fail "the survey's error is not carried into the volumes: $(grep volume a/scores.csv)"
# Both together: every run is scored with the survey's error. The surveyed volume is the same for all
# runs, so its interval is the survey's; the ratio's ends are those over the runs, times the survey's.
awk -F, '$1 == "volume_surveyed_m3" {if ($9 == $7 && $10 == $8 && $7 < $8) ok++}
    $1 == "volume_ratio" {low = $4 * $7 / $3; high = $6 * $8 / $3
        if ((low / $9 - 1) ^ 2 < 1e-16 && (high / $10 - 1) ^ 2 < 1e-16 && $9 < $7 && $10 > $8) ok++}
    $1 == "iou" {if ($9 <= $4 && $9 <= $7 && $10 >= $6 && $10 >= $8) ok++}
    END {exit ok != 3}' a/scores.csv ||
    fail "the survey's error is not carried into every run: $(grep -e volume -e iou a/scores.csv)"
grep -q '"all":' a/scores.json || fail "scores.json lacks the interval over both"
grep -q 'Over both' a/report.html || fail "the report lacks the interval over both"

# Sizes of blocks: made beside wanted where mesh.json says it, made alone where it does not.
no_gmt="env TALUS_GMT=/nowhere/gmt"
drawn="--overwrite --set report.paraview_mb=0 --progress none"
"$scene" sized blocks=20 frames=21
expect 0 'IoU' $no_gmt "$post" sized/site.ini --out sized $drawn
grep -q 'Wanted' sized/figures/sizes.sh sized/report.html && fail "sizes nobody asked for are shown"
grep -q 'It is not known which sizes were requested' sized/report.html || fail "it does not say so"
cat >sized/mesh.json <<'END'
{"blocks": {"count": 20, "size": {"wanted_m": 3, "sieve": [
 {"size_m": 2, "volume_passing": 0.1, "wanted_passing": 0.05},
 {"size_m": 4, "volume_passing": 0.4, "wanted_passing": 0.45},
 {"size_m": 6, "volume_passing": 1, "wanted_passing": 0.85}]}}}
END
expect 0 'IoU' $no_gmt "$post" sized/site.ini --out sized $drawn
grep -q 'plot sizes_wanted.txt' sized/figures/sizes.sh || fail "the wanted curve is not drawn"
grep -q 'Wanted, by volume' sized/figures/sizes.sh || fail "the wanted curve has no label"
[ "$(grep -v '#' sized/figures/sizes_wanted.txt | tr -s '0 \n' '0 ;')" = '2 5.0;4 45.0;6 85.0;' ] ||
    fail "the wanted curve is another: $(cat sized/figures/sizes_wanted.txt)"
# An eighth of the way from 5 to 45 % and from 45 to 85 %; 90 % lies beyond the curve.
grep -A 3 'class="number">Wanted' sized/report.html | tr -d '\n' |
    grep -q '<tr><td>10 %.*>2.25 m<.*<td>50 %.*>4.25 m</td></tr><tr><td>90 %.*>–</td></tr>' ||
    fail "the report's wanted sizes are wrong: $(grep -A 3 'class="number">Wanted' sized/report.html)"
grep -q 'mesh.json' sized/scores.json || fail "mesh.json is not among the inputs"
sed 's/"count": 20/"count": 21/' sized/mesh.json >mesh.json && cp mesh.json sized/mesh.json
expect 0 'does not belong to the blocks' $no_gmt "$post" sized/site.ini --out sized $drawn
grep -q 'Wanted' sized/figures/sizes.sh && fail "sizes wanted of other blocks are shown"

# Little or nothing: a sensible report or a clear sentence.
"$scene" one blocks=1 frames=41
expect 0 'IoU' "$post" one/site.ini --out one $quick
"$scene" lost lost=1 blocks=40 frames=41
expect 0 'do not trust' "$post" lost/site.ini --out lost $quick
grep -q 'Do not trust this result' lost/report.html || fail "the report of a lost run is not red"
grep -q 'No block came to rest' lost/report.html || fail "the report does not say that all is lost"
"$scene" bare deposit=0 blocks=40 frames=41
expect 0 'no surveyed deposit' "$post" bare/site.ini --out bare $quick
"$scene" empty empty=1 blocks=40 frames=41
expect 0 'no cell has a value in both surveys' "$post" empty/site.ini --out empty $quick
grep -q 'No cell has a value in both surveys' empty/report.html || fail "the report is silent on that"
awk -F, '$1 == "volume_simulated_m3" && $3 > 1000 {found=1} END {exit !found}' empty/scores.csv ||
    fail "without surveys the simulated deposit has no volume"
"$scene" scenario epochs=1 blocks=40 frames=41
expect 0 'no surveyed deposit' "$post" scenario/site.ini --out scenario $quick
grep -q 'Rockfall scenario' scenario/report.html || fail "a scenario is not called one"
"$scene" still blocks=5 frames=1
expect 0 'IoU' "$post" still/site.ini --out still $quick
"$scene" shaky unconverged=400 drift=0.2 blocks=40 frames=41
expect 0 '400 of 1000 steps' "$post" shaky/site.ini --out shaky $quick
grep -q 'class="banner bad"' shaky/report.html || fail "a run that did not converge is not red"
# A contact that makes energy is told with its tolerance, a little of it without an alarm.
"$scene" made duhem=1e22 blocks=40 frames=41
expect 0 'most energy that one contact created in a step.*10²² J' "$post" made/site.ini --out made $quick
grep -q 'class="banner bad"' made/report.html || fail "a contact that makes energy is not red"
grep -q 'Clausius-Duhem' one/report.html || fail "the report does not show Clausius-Duhem"
sed -n '/"clausius_duhem"/,/}/p' made/scores.json | tr -d ' \t\n' | grep -q '"level":"bad".*0.01' ||
    fail "scores.json lacks Clausius-Duhem or its limit: $(grep -A 8 clausius made/scores.json)"
# A run that was stopped: its report says so first, and so do the scores.
"$scene" partial partial=1 blocks=40 frames=41
expect 0 'This run is partial' "$post" partial/site.ini --out partial $quick
grep -q '<strong>This is a partial run. Do not trust it as a result.</strong>' partial/report.html ||
    fail "the report does not say that the run is partial"
grep -q '"partial":.*true' partial/scores.json || fail "scores.json does not say that the run is partial"
grep -q '"partial":.*false' one/scores.json || fail "a whole run is called partial"
for folder in one lost bare empty scenario still; do
    grep -q '</html>' "$folder/report.html" || fail "$folder has no whole report"
    grep -q -i 'nan' "$folder/scores.csv" && fail "$folder/scores.csv holds NaN"
done

# Files of another study, and damaged ones.
cp -r one mixed && cp a/blocks.nc mixed/blocks.nc
expect 1 'different runs' "$post" mixed/site.ini --out mixed --overwrite $quick
cp -r one broken && head -c 2000 one/run.nc >broken/run.nc
expect 1 'run.nc' "$post" broken/site.ini --out broken --overwrite $quick

# Files on which libhdf5 frees what it does not own (a crash or not, as the heap lies), and one bit of a file that talus has listed.
if [ -n "${TALUS_TEST_DATA:-}" ]; then
    for file in "$TALUS_TEST_DATA"/damaged-nc/run.nc.*; do
        cp -r one crash && cp "$file" crash/run.nc && chmod u+w crash/run.nc
        for heap in MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0; do
            expect 1 'run.nc.* damaged' env $heap "$post" crash/site.ini --out crash --overwrite $quick
        done
        rm -r crash
    done
else
    echo "SKIPPED: damaged NetCDF files need TALUS_TEST_DATA"
fi
cp -r one listed
(cd listed && sha256sum run.nc >solve.sha256 && sha256sum bed.tif ingest.json >ingest.sha256)
expect 0 'IoU' "$post" listed/site.ini --out listed --overwrite $quick
for name in run.nc bed.tif; do
    cp "listed/$name" whole
    printf '\001' | dd of="listed/$name" bs=1 seek=9000 conv=notrunc 2>/dev/null
    cmp -s "listed/$name" whole && fail "$name was not changed"
    expect 1 "$name is not the file that talus-[a-z]* wrote" "$post" listed/site.ini --out listed --overwrite $quick
    cp whole "listed/$name"
done
# A digit of a volume.
sed -i 's/"volume_m3":\([^0-9]*\)[0-9]/"volume_m3":\19/' listed/ingest.json
cmp -s listed/ingest.json one/ingest.json && fail "ingest.json was not changed"
expect 1 "ingest.json is not the file that talus-ingest wrote" "$post" listed/site.ini --out listed --overwrite $quick

# Numbers that no run has.
if command -v ncgen >/dev/null; then
    nonsense() { # WORDS SED-COMMAND: run.nc of a small study, changed as text
        cp -r one absurd
        ncdump one/run.nc | sed "$2" >run.cdl
        ncgen -4 -o absurd/run.nc run.cdl || fail "ncgen does not take '$2'"
        cmp -s one/run.nc absurd/run.nc && fail "'$2' changes nothing"
        expect 1 "$1" "$post" absurd/site.ini --out absurd --overwrite $quick
        rm -r absurd
    }
    nonsense 'x = 1e+09 of block 0 in frame 0 is impossible' '/^ x =/,/;/ s/[0-9][0-9.]*/1e9/'
    nonsense 'velocity = 1e+30 of block 0' '/^ velocity =/,/;/ s/[-0-9][0-9.e-]*/1e30/'
    nonsense 'time = -*[0-9]* s of frame 1' '/^ time =/ s/, [0-9.]*/, -5/'
    nonsense 'x = nan of block 0 in frame 0 is impossible' '/^ x =/,/;/ s/[0-9][0-9.]*/NaN/'
    nonsense 'state = 77 of block 0 is neither' '/^ state =/ s/= [01]/= 77/'
    nonsense 'step_time = -5 s of step 1 after' '/^ step_time =/ s/, [0-9.]*/, -5/'
    nonsense 'kinetic_translation = inf of step 0 is impossible' '/^ kinetic_translation =/,/;/ s/[0-9][0-9.e+-]*/Infinity/'
    nonsense 'penetration = nan of step 0 is impossible' '/^ penetration =/,/;/ s/[0-9][0-9.e+-]*/NaN/'
    for name in kinetic_rotation contact_count iterations residual penetration; do
        nonsense "$name = -5 of step 0 is impossible" "/^ $name =/,/;/ s/[0-9][0-9.e+-]*/-5/"
    done
    for note in unconverged_steps=-5 finished_steps=1e+300 clausius_duhem_worst_j=-5 blocks_lost=1e+09 dt_s=-5 dt_s=nan; do
        nonsense "${note%%=*} = ${note#*=} is impossible" "s/:${note%%=*} = .*/:${note%%=*} = ${note#*=} ;/"
    done
fi

# Names from files end up in shell scripts: none of them is run.
cp -r one sly
sed "s/WGS 84 \/ UTM zone 20N + EGM96 height/a'; touch taken; echo '/" one/ingest.json >sly/ingest.json
expect 0 'IoU' env TALUS_GMT=/nowhere/gmt "$post" sly/site.ini --out sly --overwrite \
    --set report.paraview_mb=0 --progress none
grep -q 'touch taken' sly/figures/map.sh || fail "the name of the coordinate system is not in map.sh"
TALUS_GMT=true sh sly/figures/map.sh || fail "map.sh fails on a strange name"
find . -name taken | grep -q . && fail "the name of the coordinate system was run as a command"

# Without GMT the scripts are kept and one sentence says so.
expect 0 'gmt is not installed' env TALUS_GMT=/nowhere/gmt "$post" one/site.ini --out one \
    --overwrite --set report.paraview_mb=0 --progress none
[ -s one/figures/map.sh ] || fail "the scripts of the figures are not kept"
grep -q 'Coordinates: WGS 84 / UTM zone 20N' one/figures/captions.md || fail "the captions do not name the coordinates"

# With longitude and latitude on its rim, and as SVG where poppler is there.
expect 0 'IoU' "$post" one/site.ini --out one --overwrite --set report.paraview_mb=0 --set report.graticule=degrees --progress none
grep -q "'.*\\\\042W" one/figures/graticule_labels.txt || fail "the meridians have no labels"
grep -q 'graticule_labels.txt' one/figures/map.sh || fail "the labels are not drawn"
if command -v gmt >/dev/null; then
    [ -s one/figures/map.pdf ] || fail "no map: $(cat one/figures/*.log)"
    if command -v pdftocairo >/dev/null; then
        grep -q '<svg' one/figures/map.svg || fail "no SVG beside the PDF"
    else
        echo "SKIPPED: SVG of figures needs pdftocairo (poppler-utils)"
    fi
fi
[ "$failures" -eq 0 ] || echo "$failures failures"
[ "$failures" -eq 0 ]
