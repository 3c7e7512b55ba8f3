#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of grounds and of weakening laws: a block that is pushed off at 5 m/s stops where each of them says.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }

begin() { # SED-COMMAND: the second block pushed off, blocks.cdl altered
    rm -rf out
    mkdir out
    write_terrain
    write_blocks
    change blocks 's/^velocity.*/velocity = 0, 0, 0, 5, 0, 0 ;/'
    change blocks "${1:-}"
    make_files
}
solve() { # KEY=VALUE...
    printf '[site]\ncrs = local\n[solve]\nuntil_s = 4\n[contact]\nrestitution = 0\n' >site.ini
    sets=
    for pair in "$@"; do sets="$sets --set $pair"; done
    # shellcheck disable=SC2086
    "$TALUS_BIN/talus-solve" site.ini --out out -q --overwrite $sets >out.txt 2>err.txt || fail "$*: $(cat err.txt)"
}
values() { netcdf_values out/run.nc "$1"; }
way() { values x | tail -n 1 | awk '{ print $1 - 3 }'; }
equal() { # WHAT NUMBER WANTED TOLERANCE
    awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { exit !(a - b <= t && b - a <= t) }' || fail "$1: $2 instead of $3"
}
# stop FORMULA: the way s at which the work of friction per mass, a function of s in awk, is 12.5 m2/s2.
stop() {
    awk "function work(s) { return 9.80665 * ($1) }
         BEGIN { pi = atan2(0, -1); high = 50
                 for (n = 0; n < 60; n++) { s = (low + high) / 2; if (work(s) < 12.5) low = s; else high = s }
                 print s }"
}

# drag_per_s: v / drag, but for the step in which it begins.
begin
solve contact.law=scar contact.friction=0 contact.drag_per_s=2
equal "drag_per_s" "$(way)" 2.5 0.06

# friction_max, scar_growth_per_m
solve contact.law=scar contact.friction=0.3 contact.friction_max=1.2 contact.scar_growth_per_m=0.5
equal "scar" "$(way)" "$(stop '0.3 * s + 1.8 / pi * (s * atan2(0.5 * s, 1) - log(1 + 0.25 * s * s))')" 0.03

# ground, of all surfaces and of one pair: the same as its numbers, and what is given beside it stays.
for how in contact.ground=medium pair.rock.ground.ground=medium; do
    solve "$how"
    named=$(way)
    solve contact.law=ground contact.friction=0.35 contact.friction_max=2 contact.scar_growth_per_m=2 \
        contact.scar_decay_per_s=150 contact.drag_per_s=0.6
    equal "$how" "$named" "$(way)" 0
done
solve contact.ground=medium contact.drag_per_s=0 contact.scar_growth_per_m=0
equal "friction of a ground class" "$(way)" "$(stop '0.35 * s')" 0.01
solve pair.rock.ground.ground=medium pair.rock.ground.drag_per_s=0 pair.rock.ground.scar_growth_per_m=0
equal "the same of a pair" "$(way)" "$(stop '0.35 * s')" 0.01

# friction_fast, weakening_speed_mps: ds = v dv / (g mu(v))
solve contact.law=speed-weakening contact.friction=0.84 contact.friction_fast=0.2 contact.weakening_speed_mps=2
equal "speed-weakening" "$(way)" "$(awk 'BEGIN { for (n = 0; n < 5000; n++) { v = (n + 0.5) / 1000
    s += v / 1000 / (9.80665 * (0.2 + 0.64 / (1 + v / 2))) } print s }')" 0.01

# friction_worn, weakening_slip_m: first order, friction lags by the way of a step, 5 cm at first
solve contact.law=slip-weakening contact.friction=0.7 contact.friction_worn=0.2 contact.weakening_slip_m=1.5
equal "slip-weakening" "$(way)" "$(stop '0.2 * s + 0.5 * 1.5 * (1 - exp(-s / 1.5))')" 0.05

# turbulence_mps2, of all surfaces and of one pair: v dv/ds = -g (mu + v2 / (xi h)), h the cube's metre
for how in contact pair.rock.ground; do
    solve $how.law=speed-weakening $how.friction=0.3 $how.friction_fast=0.3 $how.turbulence_mps2=40
    equal "turbulence_mps2 of $how" "$(way)" "$(awk 'BEGIN { print 40 / (2 * 9.80665) * log(1 + 25 / (0.3 * 40)) }')" 0.05
done

# rolling_friction: a ball that rolls is braked by 5/7 c g.
ball='s/double volume(block)/double sphere_radius(block) ; &/; s/^volume/sphere_radius = 0, 0.5 ;\nvolume/; s/^inertia.*/inertia = 450, 450, 450, 270, 270, 270 ;/'
begin "$ball; s/^angular_velocity.*/angular_velocity = 0, 0, 0, 0, 10, 0 ;/"
solve contact.law=rolling contact.friction=0.9 contact.rolling_friction=0.4
equal "rolling_friction" "$(way)" "$(awk 'BEGIN { print 25 / (2 * 5 / 7 * 0.4 * 9.80665) }')" 0.02

# plastic_energy_j_m2: dropped by 2 m, with as much energy per area as halves the rebound.
begin "$ball; s/^position.*/position = 0, 0, 0.5, 3, 0, 2.5 ;/; s/^velocity.*/velocity = 0, 0, 0, 0, 0, 0 ;/"
yield=$(awk 'BEGIN { print 2700 * 9.80665 * 2 / (atan2(0, -1) * 0.25) }')
solve contact.law=plastic contact.restitution=0.8 contact.plastic_energy_j_m2="$yield" solve.output_every_s=0.01 solve.until_s=1.2
equal "plastic_energy_j_m2" "$(values z | awk 'NR % 2 == 0 { z = $1 - 0.5; if (NR > 2 && z > last && z > most) most = z; last = z } END { print most }')" 0.32 0.01

# roughness_m, roughness_length_m: cubes come to rest on bumps; drawn from the seed.
begin 's/^velocity.*/velocity = 0, 0, 0, 0, 0, 0 ;/'
solve ground.ground.roughness_m=0.05 ground.ground.roughness_length_m=0.5
first=$(values z | tail -n 1)
awk -v z="$first" 'BEGIN { exit !(z != 0.5 && z > 0.44 && z < 0.56) }' || fail "roughness_m: a cube rests at $first"
solve ground.ground.roughness_m=0.05 ground.ground.roughness_length_m=0.5
equal "the same seed" "$(values z | tail -n 1)" "$first" 0
solve ground.ground.roughness_m=0.05 ground.ground.roughness_length_m=0.5 random.seed=2
[ "$(values z | tail -n 1)" != "$first" ] || fail "another seed gives the same bumps"

# Wrong input is named.
refuse() { # WORDS KEY=VALUE...
    words=$1
    shift
    sets=
    for pair in "$@"; do sets="$sets --set $pair"; done
    # shellcheck disable=SC2086
    "$TALUS_BIN/talus-solve" site.ini --out out -q --overwrite $sets >out.txt 2>err.txt && fail "$*: not refused"
    grep -q "$words" err.txt || fail "$*: $(cat err.txt)"
}
refuse 'ground.moon.*no surface class of that name' ground.moon.roughness_m=0.1
refuse 'roughness_length_m' ground.ground.roughness_m=0.1 ground.ground.roughness_length_m=0
refuse 'ground.*extra-soft' contact.ground=mud
refuse 'needs the law ground or scar' contact.ground=soft contact.law=coulomb
refuse 'larger roughness_length_m' ground.ground.roughness_m=0.1 ground.ground.roughness_length_m=0.01

[ "$failures" -eq 0 ] || exit 1
echo "all good"
