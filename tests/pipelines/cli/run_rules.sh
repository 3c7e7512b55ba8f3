#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of pipelines/run.mk, with programs that only leave a trace: what a change redoes.
set -eu
fail() { echo "$*"; cat said; exit 1; }
mkdir bin
for stage in ingest mesh solve post; do
    case $stage in
        ingest) files="before.tif after.tif bed.tif dz.tif lod.tif source.tif deposit.tif site.gpkg ingest.json" ;;
        mesh) files="terrain.nc blocks.nc" ;;
        solve) files="run.nc" ;;
        post) files="report.html scores.json" ;;
    esac
    # Settings of a stage: the lines of the site file that begin with its name.
    cat >"bin/talus-$stage" <<STUB
#!/bin/sh
grep -q wrong "\$1" && { echo "talus-$stage: error: wrong" >&2; exit 2; }
case " \$* " in
    *' --print-variants '*) printf 'double mesh.size=2;mesh.list=1 2\nstep solve.dt=1\n'; exit ;;
    *' --set '*' --out '*) echo "$stage \$*" >>sets
        while [ "\$2" = --set ]; do site=\$1; shift 3; set -- "\$site" "\$@"; done ;;
esac
option=\$2
while [ "\$option" = --set ]; do shift 2; option=\$2; done
case \$option in
    --print-settings)
        grep "^$stage " "\$1" || true
        if [ $stage = post ]; then grep '^sensitivity = yes' "\$1" || true; fi
        case " \$* " in *' mesh.size=2 '*) [ $stage != mesh ] || echo finer ;; esac ;;
    --print-inputs) [ $stage != ingest ] || echo cloud.las ;;
    *) [ ! -e fail-$stage ] || exit 1
       echo $stage >>trace
       for file in $files; do echo new >"\$3/\$file"; done ;;
esac
STUB
    chmod +x "bin/talus-$stage"
done
echo points >cloud.las
run() { make -f "$TALUS_SOURCE/pipelines/run.mk" DEPENDS="$TALUS_SOURCE/pipelines/depends.sh" \
    BIN=bin SITE="${site:-site.ini}" OUT="${out:-out}" "$@" >said 2>&1; }
tick() { sleep 0.05; } # file dates tell the order, and the clock of a file system is coarse
redoes() { # redoes STAGES REASON
    tick
    : >trace
    run || fail "make failed: $2"
    [ "$(tr '\n' ' ' <trace)" = "$1" ] || { cat trace; fail "$2 does not redo '$1'"; }
}
settings() { printf 'ingest %s\nmesh %s\nsolve %s\npost %s\n# %s\n' "$@" >site.ini; }

settings 1 1 1 1 first
redoes 'ingest mesh solve post ' "a new study"
grep -q 'Open out/report.html' said || fail "does not say where the report is"
redoes '' "nothing"
settings 1 1 1 1 second
redoes '' "a comment"
settings 1 1 2 1 second
run -n || fail "make -n"
grep -q 'talus-solve' said && grep -q 'talus-post' said || fail "make -n does not name what will run"
if grep -q 'talus-mesh .*--out' said; then fail "make -n names too much"; fi
redoes 'solve post ' "friction"
settings 1 1 2 2 second
redoes 'post ' "a setting of the report"
settings 1 2 2 2 second
redoes 'mesh solve post ' "a setting of the mesh"
echo other >cloud.las # the same size and second
redoes 'ingest mesh solve post ' "another cloud"
rm out/blocks.nc
redoes 'mesh solve post ' "a missing file"
tick
echo 'of my own' >out/blocks.nc
redoes 'solve post ' "blocks put there by hand"
tick
: >out/run.nc # newer than its stage, of no stage after it
redoes 'post ' "a motion put there by hand"

# Sensitivity: further runs of the same survey up to the solver, each redone only when it must be.
out=sensitive
settings 1 2 2 2 second
redoes 'ingest mesh solve post ' "a further study"
echo 'sensitivity = yes' >>site.ini
redoes 'mesh solve mesh solve post ' "asking for the sensitivity"
for variant in double step; do
    [ -f "sensitive/sensitivity/$variant/run.nc" ] || fail "no run $variant"
    cmp -s sensitive/bed.tif "sensitive/sensitivity/$variant/bed.tif" || fail "$variant has another survey"
done
grep -q '^mesh .*--set mesh.size=2 --set mesh.list=1 2 --out sensitive/sensitivity/double' sets || fail "the settings of a variant are not given to talus-mesh: $(cat sets)"
grep -q '^solve .*--set solve.dt=1 --out sensitive/sensitivity/step' sets || fail "the settings of a variant are not given to talus-solve"
redoes '' "nothing, with sensitivity"
rm sensitive/sensitivity/step/run.nc
redoes 'solve post ' "a lost run of a variant"
touch fail-solve
rm sensitive/sensitivity/step/run.nc
tick
if run; then fail "a variant that fails is not noticed"; fi
rm fail-solve
redoes 'solve post ' "a variant that failed"
echo third >cloud.las
redoes 'ingest mesh solve mesh solve mesh solve post ' "another cloud, with sensitivity"
out=out
settings 1 2 2 2 second
redoes 'ingest mesh solve post ' "another cloud, in the first study"

# A stage that fails ends the run; the next run goes on from there.
settings 1 3 2 2 second
touch fail-solve
tick
if run; then fail "a failed stage is not noticed"; fi
rm fail-solve
redoes 'solve post ' "a failed stage"

# A wrong site file is told once, before anything is made.
echo wrong >wrong.ini
site=wrong.ini out=elsewhere
if run; then fail "a wrong site file is used"; fi
[ "$(grep -c 'error: wrong' said)" -eq 1 ] || fail "the mistake is not told once"
[ ! -e elsewhere ] || fail "something was made for a wrong site file"

# A stage may leave out a result (one epoch only); it is not missed afterwards.
sed -i 's/after.tif bed/bed/' bin/talus-ingest
site=site.ini out=out-one
redoes 'ingest mesh solve post ' "a new study of one epoch"
[ ! -e out-one/after.tif ] || fail "the stub is wrong"
redoes '' "a result left out"

# Blanks and quotes in the name of the site file; blanks in OUT are refused with a reason.
site="my site's file.ini" out="out's"
cp site.ini "$site"
redoes 'ingest mesh solve post ' "a site file with blanks"
out='two words'
if run; then fail "a folder with a blank is not refused"; fi
grep -q 'without blanks' said || fail "no reason"
for out in '$(shell touch hit)' 'a:b' 'a%b'; do
    if run; then fail "the folder $out is not refused"; fi
    grep -q 'without any of' said || fail "no reason for $out"
done
site='$(shell touch hit).ini' out=out4
cp site.ini "$site"
redoes 'ingest mesh solve post ' "a site file named like a command of make"
run THREADS='$(shell touch hit)'
[ ! -e hit ] || fail "make carried out what a user gave as a name"
site=absent.ini out=out3
if run; then fail "an absent site file is not noticed"; fi
grep -q 'no site file absent.ini' said || fail "no reason"
