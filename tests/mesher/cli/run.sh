#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# talus-mesh as a user meets it: files, messages, exit codes, the same bytes for any thread count.
set -u
program=$TALUS_BIN/talus-mesh
make_site=$TALUS_TEST_BIN/mesher_site
. "$TALUS_SOURCE/tests/support/common.sh"

# fresh DIR: a folder as talus-ingest leaves it.
fresh() {
    rm -rf "$1"
    cp -r ingested "$1"
}

"$make_site" ingested 300 150 2 0.45 || exit 1
printf '[mesh]\nbrick_m = 10 9 8\n' >site.ini

expect 0 'terrain mesh and blocks' "$program" --help
expect 2 'which site' "$program"
expect 1 'run talus-ingest' "$program" site.ini
expect 2 'obj, ply or vtp' "$program" site.ini --out ingested --export dxf

# What talus-ingest makes is missing.
mkdir empty
expect 1 'run talus-ingest' "$program" site.ini --out empty

# An origin that is nowhere on Earth, or between two metres.
for wrong in 1e300 -7e18 1e9 0.5; do
    fresh nowhere
    sed -i "s/\"east_m\":[^,]*/\"east_m\": $wrong/" nowhere/ingest.json
    cmp -s ingested/ingest.json nowhere/ingest.json && fail "east_m = $wrong changes nothing"
    expect 1 'ingest.json: its origin .* is impossible' "$program" site.ini --out nowhere
done

# Mistakes in the settings come together.
expect 2 'at least one joint set' "$program" site.ini --out ingested --set mesh.blocks=joints --set mesh.brick_m='1 2' \
    --set mesh.import_position_m=5
grep -q 'brick_m must hold three numbers' err.txt || fail "brick_m: $(cat err.txt)"
grep -q 'import_position_m must hold three' err.txt || fail "import_position_m: $(cat err.txt)"
printf '[mesh]\nblocks = joints\n[joint.a]\ndip_deg = 30\n' >half.ini
expect 2 'joint.a. must state' "$program" half.ini --out ingested
expect 2 'spacing_m' "$program" site.ini --out ingested --set joint.1.spacing_m=0
expect 2 'nearest\|did you mean\|not known' "$program" site.ini --out ingested --set mesh.brik_m=3
printf '[mesh]\nblocks = import\n' >import.ini
expect 2 'needs files' "$program" import.ini --out ingested

# Each way of making blocks.
for mode in bricks voronoi joints; do
    fresh $mode
    expect 0 'blocks:' "$program" site.ini --out $mode --set mesh.blocks=$mode --set mesh.size_m=9 \
        --set joint.1.dip_deg=70 --set joint.1.dip_direction_deg=200 --set joint.1.spacing_m=9 \
        --set joint.2.dip_deg=80 --set joint.2.dip_direction_deg=110 --set joint.2.spacing_m=9 \
        --set joint.3.dip_deg=25 --set joint.3.dip_direction_deg=10 --set joint.3.spacing_m=9 \
        --threads 1 --export ply
    for name in terrain.nc blocks.nc mesh.json mesh.png terrain.ply blocks.ply; do
        [ -s "$mode/$name" ] || fail "$mode/$name is missing"
    done
    ls $mode/*.part >/dev/null 2>&1 && fail "a .part file is left in $mode"
    fill=$(sed -n 's/.*"fill":[[:space:]]*\([0-9.]*\),*/\1/p' $mode/mesh.json)
    awk -v f="$fill" 'BEGIN { exit !(f >= 0.97 && f <= 1.01) }' || fail "$mode fills $fill"
    # Other threads, same bytes.
    fresh again
    "$program" site.ini --out again --set mesh.blocks=$mode --set mesh.size_m=9 \
        --set joint.1.dip_deg=70 --set joint.1.dip_direction_deg=200 --set joint.1.spacing_m=9 \
        --set joint.2.dip_deg=80 --set joint.2.dip_direction_deg=110 --set joint.2.spacing_m=9 \
        --set joint.3.dip_deg=25 --set joint.3.dip_direction_deg=10 --set joint.3.spacing_m=9 \
        --threads 3 --export ply >out.txt 2>err.txt || fail "$mode again: $(cat err.txt)"
    diff -r $mode again || fail "$mode: the number of threads changes the files"
done

# Another seed gives other cells; bricks do not depend on it.
fresh other
"$program" site.ini --out other --set mesh.blocks=voronoi --set mesh.size_m=9 \
    --set random.seed=2 >out.txt 2>err.txt || fail "seed 2: $(cat err.txt)"
cmp -s other/blocks.nc voronoi/blocks.nc && fail "the seed changes nothing"

# A gap that is a share of the block size.
for gap in gap_share=0.05 gap_m=0.45; do
    fresh "${gap%=*}"
    expect 0 'blocks:' "$program" site.ini --out "${gap%=*}" --set mesh.blocks=voronoi --set mesh.size_m=9 --set mesh.$gap --export ply
done
cmp -s gap_share/blocks.ply gap_m/blocks.ply || fail "a gap of a twentieth of 9 m is not one of 0.45 m"
cmp -s gap_share/blocks.ply voronoi/blocks.ply && fail "gap_share changes nothing"

# Nothing is overwritten silently, and a refusal changes nothing.
cp -r bricks kept
expect 1 'overwrite' "$program" site.ini --out bricks
diff -r bricks kept || fail "a refused run changed files"
expect 0 'blocks:' "$program" site.ini --out bricks --overwrite --set mesh.clip=none

# Other programs read the files.
ncdump -h bricks/terrain.nc >terrain.cdl || fail "ncdump cannot read terrain.nc"
for words in 'mesh_topology' 'face_node(face, three)' 'CF-1.11 UGRID-1.0' 'origin_east_m' \
    'class_name(class'; do
    grep -q "$words" terrain.cdl || fail "terrain.nc lacks $words"
done
ncdump -h bricks/blocks.nc >blocks.cdl || fail "ncdump cannot read blocks.nc"
for words in 'vertex_start(block_edge)' 'corner_vertex(corner)' 'orientation(block, four)' \
    'inertia(block, three)' 'corner_start(face_edge)' 'block_class(block)'; do
    grep -q "$words" blocks.cdl || fail "blocks.nc lacks $words"
done

# Blocks come back: export, then import.
fresh back
cp voronoi/blocks.ply stones.ply
printf 'x_m,y_m,z_m,length_m,width_m,height_m,radius_m\n' >table.csv
printf '700300,1600150,700,3,2,1,\n700310,1600150,700,,,,2\n' >>table.csv
printf '[mesh]\nblocks = import\nimport =\n    table.csv\n' >import.ini
expect 0 'blocks: 2' "$program" import.ini --out back --export vtp
grep -q 'NumberOfPolys="6"' back/blocks.vtp || fail "blocks.vtp holds other than one box"
ncdump -v sphere_radius back/blocks.nc | grep -q 'sphere_radius = 0, 2' || fail "no sphere"
# Put onto the ground by themselves, whatever height they are given.
for height in 700 -9000; do
    printf 'x_m,y_m,z_m,radius_m\n700300,1600150,%s,2\n' $height >ball.csv
    fresh "on$height"
    expect 0 'blocks: 1' "$program" import.ini --out "on$height" --set mesh.import=ball.csv --set mesh.import_onto_ground=yes
    ncdump -p 6,9 -v position "on$height/blocks.nc" | sed -n '/^ position =/,$p' >"position$height"
done
cmp position700 position-9000 || fail "a rock put onto the ground depends on the height it was given"
printf 'x_m,y_m,z_m,radius_m\n0,0,0,2\n' >ball.csv
expect 1 'no ground below it' "$program" import.ini --out on700 --overwrite --set mesh.import=ball.csv --set mesh.import_onto_ground=yes
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >flat.obj
printf '[mesh]\nblocks = import\nimport = flat.obj\n' >flat.ini
fresh flat
expect 1 'flat' "$program" flat.ini --out flat
[ -e flat/terrain.nc ] && fail "a failed run left terrain.nc"

# Ground classes from polygons.
cat >ground.geojson <<'JSON'
{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"class": "talus"},
 "geometry": {"type": "Polygon", "coordinates": [[[699000, 1599000], [700200, 1599000],
 [700200, 1601000], [699000, 1601000], [699000, 1599000]]]}}]}
JSON
fresh classes
expect 0 'blocks:' "$program" site.ini --out classes --set mesh.ground_classes=ground.geojson
ncdump -v class_name classes/terrain.nc | grep -q '"talus"' || fail "no class talus"
ncdump -v face_class classes/terrain.nc | grep -q '1, 1, 1' || fail "no face has the class"
ncdump -v face_class classes/terrain.nc | sed -n '/^data:/,$p' >by_polygon.txt

# The same from a raster: its western 200 m hold the value 1. A value without a name is refused.
{
    printf 'ncols 6\nnrows 3\nxllcorner 700000\nyllcorner 1600000\ncellsize 100\n'
    for row in 1 2 3; do echo '1 1 0 0 0 0'; done
} >ground.asc
fresh raster
expect 0 'blocks:' "$program" site.ini --out raster --set mesh.ground_classes=ground.asc \
    --set mesh.ground_class_names=talus
ncdump -v face_class raster/terrain.nc | sed -n '/^data:/,$p' >by_raster.txt
cmp by_polygon.txt by_raster.txt || fail "raster and polygons give different classes"
fresh raster
expect 1 'ground_class_names names the values 1 to 0' "$program" site.ini --out raster \
    --set mesh.ground_classes=ground.asc

# The ground under the source can have a class of its own: the same faces as by a raster of the source. It wins
# over polygons, and rocks that come without a source cannot have it.
fresh rupture
gdal_translate -q -ot Byte -a_nodata none -scale 0 1e-9 0 255 rupture/source.tif full.tif
gdal_translate -q -ot Byte -scale 0 255 0 1 full.tif where.tif
expect 0 'blocks:' "$program" site.ini --out rupture --set mesh.source_class=rupture
ncdump -v face_class rupture/terrain.nc | sed -n '/^data:/,$p' >by_source.txt
grep -q '1, 1, 1' by_source.txt || fail "no face lies under the source"
grep -q '0, 0, 0' by_source.txt || fail "all faces lie under the source"
fresh where
expect 0 'blocks:' "$program" site.ini --out where --set mesh.ground_classes=where.tif \
    --set mesh.ground_class_names=rupture
ncdump -v face_class where/terrain.nc | sed -n '/^data:/,$p' >by_where.txt
cmp by_source.txt by_where.txt || fail "source_class and a raster of the source give different classes"
fresh rupture
expect 0 'blocks:' "$program" site.ini --out rupture --set mesh.source_class=rupture \
    --set mesh.ground_classes=ground.geojson
ncdump -v class_name rupture/terrain.nc | grep -q '"rupture"' || fail "no class rupture beside talus"
expect 2 'source_class = rupture: blocks = import and blocks = forms have no source' "$program" import.ini \
    --out rupture --overwrite --set mesh.source_class=rupture --set mesh.import=ball.csv

# The published bricks, whole, in a source of about 8e5 m3: near 435 and 874 blocks.
"$make_site" full 700 500 1 1.038 || exit 1
count_bricks() {
    "$program" site.ini --out full --overwrite --set mesh.clip=none --set "mesh.brick_m=$1" \
        >out.txt 2>err.txt || fail "bricks $1: $(cat err.txt)"
    sed -n 's/.*blocks: \([0-9]*\).*/\1/p' err.txt
}
coarse=$(count_bricks '10.935 9.636 15.775')
fine=$(count_bricks '8.852 7.801 12.771')
[ "$coarse" -ge 392 ] && [ "$coarse" -le 478 ] || fail "$coarse bricks instead of about 435"
[ "$fine" -ge 787 ] && [ "$fine" -le 961 ] || fail "$fine bricks instead of about 874"

# One, two or three blocks of a slab on a slope, 40 by 40 m and 3 m thick: larger cells than it can hold are no reason to give up.
awk 'BEGIN {
    for (what = 0; what < 2; what++) {
        file = what ? "slab.asc" : "slope.asc"
        print "ncols 60\nnrows 60\nxllcorner 0\nyllcorner 0\ncellsize 2\nNODATA_value -9999" >file
        for (r = 0; r < 60; r++)
            for (c = 0; c < 60; c++)
                print what ? (r >= 10 && r < 30 && c >= 20 && c < 40 ? 3 : 0) : 160 - r >file
    }
}'
for mode in voronoi bricks; do
    printf '%s\n' '[site]' 'before = slope.asc' 'crs = local' '[ingest]' 'cell_m = 2' 'ground = none' 'thickness = slab.asc' \
        'thickness_is = above' '[mesh]' "blocks = $mode" >slab.ini
    rm -rf slab
    "$TALUS_BIN/talus-ingest" slab.ini -q --out slab || fail "a slab"
    for wanted in 1 2 3; do
        expect 0 'blocks: [1-6]$' "$program" slab.ini --out slab --overwrite --set mesh.block_count=$wanted
    done
done

[ "$failures" -eq 0 ] || exit 1
echo "all good"
