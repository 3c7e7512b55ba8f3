#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of talus-mesh that have no other test: what each of them says happens.
set -u
mesh=$TALUS_BIN/talus-mesh
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_TEST_BIN/mesher_site" ingested 150 75 4 0.45 || exit 1

# run FOLDER SITE-FILE [OPTIONS]
run() {
    folder=$1 site=$2
    shift 2
    rm -rf "$folder"
    cp -r ingested "$folder"
    "$mesh" "$site" --out "$folder" --progress none "$@" >out.txt 2>err.txt || fail "$folder: $(cat err.txt)"
}
# size FILE DIMENSION
size() { ncdump -h "$1" | sed -n "s/^.$2 = \([0-9]*\).*/\1/p"; }

# import_unit: a cube of 2000 has 8 m3 in millimetres, and does not fit the scene in metres.
printf 'v %s\n' '0 0 0' '2000 0 0' '2000 2000 0' '0 2000 0' '0 0 2000' '2000 0 2000' '2000 2000 2000' '0 2000 2000' >cube.obj
printf 'f %s\n' '4 3 2 1' '5 6 7 8' '1 2 6 5' '2 3 7 6' '3 4 8 7' '4 1 5 8' >>cube.obj
printf '[mesh]\nblocks = import\nimport = cube.obj\nimport_position_m = 700300 1600150 700\n' >cube.ini
for unit in mm m; do
    run "cube_$unit" cube.ini --set mesh.import_unit=$unit
    netcdf_values "cube_$unit/blocks.nc" volume >volume.txt
    awk -v want=$([ $unit = mm ] && echo 8 || echo 8e9) '{ exit !(($1 / want - 1) ^ 2 < 1e-12) }' volume.txt ||
        fail "import_unit = $unit: the cube has $(cat volume.txt) m3"
done

# import_vertices_max: a ball of 26 x 13 + 2 corners is thinned to about so many, and keeps its volume.
awk 'BEGIN { pi = atan2(0, -1); n = 26; m = 13
    print "v 0 0 -2"
    for (j = 1; j <= m; j++) for (i = 0; i < n; i++) { t = -pi / 2 + pi * j / (m + 1); p = 2 * pi * i / n
        printf "v %.9f %.9f %.9f\n", 2 * cos(t) * cos(p), 2 * cos(t) * sin(p), 2 * sin(t) }
    print "v 0 0 2"
    for (i = 0; i < n; i++) { k = (i + 1) % n; print "f", 1, 2 + k, 2 + i }
    for (j = 0; j < m - 1; j++) for (i = 0; i < n; i++) { k = (i + 1) % n; a = 2 + j * n
        print "f", a + i, a + k, a + n + k; print "f", a + i, a + n + k, a + n + i }
    a = 2 + (m - 1) * n
    for (i = 0; i < n; i++) { k = (i + 1) % n; print "f", a + i, a + k, 2 + m * n } }' >ball.obj
printf '[mesh]\nblocks = import\nimport = ball.obj\nimport_position_m = 700300 1600150 700\n' >ball.ini
for most in 30 100 1000; do
    run "ball_$most" ball.ini --set mesh.import_vertices_max=$most
    count=$(size "ball_$most/blocks.nc" vertex)
    case $most in
        1000) [ "$count" -eq 340 ] || fail "import_vertices_max = 1000 leaves $count of 340 corners" ;;
        *) [ "$count" -le $((most + most / 10)) ] && [ "$count" -ge $((most / 2)) ] ||
            fail "import_vertices_max = $most leaves $count corners" ;;
    esac
done

# rim_wall: something stands around the ground that is higher than the ground itself.
printf '[mesh]\nbrick_m = 20 20 20\n' >bricks.ini
run open bricks.ini
run walled bricks.ini --set mesh.rim_wall=yes
top() { netcdf_values "$1/terrain.nc" node_z | sort -g | tail -n 1; }
awk -v a="$(top walled)" -v b="$(top open)" 'BEGIN { exit !(a > b + 1) }' ||
    fail "rim_wall: highest node $(top walled), without it $(top open)"
[ "$(size walled/terrain.nc face)" -gt "$(size open/terrain.nc face)" ] || fail "rim_wall adds no triangle"

# spacing_distribution and spacing_deviation: planes of one upright set at a constant distance cut slabs
# alike; the more the spacings scatter, the more the distances of the slabs' centroids do.
printf '[mesh]\nblocks = joints\nclip = none\n[joint.1]\ndip_deg = 90\ndip_direction_deg = 90\nspacing_m = 2\n' >joints.ini
count() { size "$1/blocks.nc" block; }
widths() { # standard deviation of the distances of neighbouring centroids, west to east
    netcdf_values "$1/blocks.nc" position | awk 'NR % 3 == 1' | sort -g |
        awk 'NR > 1 {d = $1 - last; n++; s += d; q += d * d} {last = $1}
            END { m = s / n; v = q / n - m * m; printf "%.4f", (v > 0 ? sqrt(v) : 0) / m }'
}
run constant joints.ini --set joint.1.spacing_distribution=constant
run normal_little joints.ini --set joint.1.spacing_distribution=normal --set joint.1.spacing_deviation=0.1
run normal_much joints.ini --set joint.1.spacing_distribution=normal --set joint.1.spacing_deviation=0.5
run exponential joints.ini
run lognormal joints.ini --set joint.1.spacing_distribution=lognormal
for name in constant normal_little normal_much exponential lognormal; do echo "$name: $(count $name) blocks, $(widths $name)"; done
awk -v c="$(widths constant)" -v l="$(widths normal_little)" -v m="$(widths normal_much)" -v e="$(widths exponential)" \
    'BEGIN { exit !(c < 1e-3 && c < l && l < m && m < 1 && e > l) }' || fail "spacings do not scatter as they are told to"
cmp -s lognormal/blocks.nc exponential/blocks.nc && fail "lognormal spacings are exponential ones"

[ "$failures" -eq 0 ] || exit 1
echo "all good"
