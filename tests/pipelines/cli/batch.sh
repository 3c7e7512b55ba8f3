#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Batches with stage programs that only leave a trace: shared stages run once, failed runs are listed with
# their reason and the others finish, finished runs are reused, mistakes are told before any work.
set -eu
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
batch=$TALUS_BIN/talus-batch
fail() { echo "$*"; cat said; exit 1; }
ran() { # ran STAGE: how often
    grep -c "^$1 " trace || true
}
echo 1 >a.xyz
echo 2 >b.xyz
for name in one two three; do
    printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[report]\ntitle = %s\n' "$name" >"$name.ini"
done
printf '[mesh]\nblock_count = 90\n' >>three.ini
printf 'name,contact.friction\nlow,0.4\nhigh,0.55\nworst,0.97\n' >table.csv
run() { "$batch" one.ini two.ini three.ini --settings table.csv --out study "$@" >said 2>&1; }

run || fail "the batch failed"
# Sites one and two differ in the title of the report only; three has other blocks.
[ "$(ran ingest) $(ran mesh) $(ran solve) $(ran post)" = "1 2 6 6" ] || fail "stages ran $(sort trace)"
[ "$(wc -l <study/results.csv)" -eq 10 ] || fail "the table has not nine rows"
[ "$(grep -c ',done,' study/results.csv)" -eq 6 ] || fail "not six runs are done"
grep -q 'one,worst,[0-9a-f]*,failed,0.97,.*stick to the sky at friction 0.97' study/results.csv || fail "no reason in the table"
if grep -q "$PWD" study/results.csv; then fail "a path of this machine is in the table"; fi
[ "$(grep -c 'report.html' study/index.html)" -eq 6 ] || fail "the page does not link the reports"
[ "$(grep -c 'class="words bad"' study/index.html)" -eq 3 ] || fail "the page does not list the failed runs"
ogrinfo -q study/sites.gpkg runs >layers 2>/dev/null || fail "no table of runs in the GeoPackage"
grep -q 'site (String) = three' layers || fail "no row of site three"
# Each run says what it is made of.
run_folder=$(ls -d study/runs/* | head -n 1)
(cd "$run_folder" && sha=$(sha256sum scores.json) && grep -q "${sha%% *}" finished.json) || fail "manifest"
sha=$(sha256sum b.xyz)
grep -q "${sha%% *}" study/stages/ingest/*/finished.json || fail "the inputs are not in the manifest of the ingest"

# Again: only what failed is tried.
: >trace
run || fail "the second time"
[ "$(ran ingest) $(ran mesh) $(ran solve) $(ran post)" = "0 0 2 0" ] || fail "the second time $(sort trace)"
# What each kind of setting runs again, in a study that has everything else.
while read -r setting stages; do
    : >trace
    printf 'name\nplain\n' >plain.csv
    "$batch" one.ini --out study --set "$setting" >said 2>&1 || fail "$setting"
    [ "$(cut -d' ' -f1 trace | tr '\n' ' ')" = "$stages " ] || { cat trace; fail "$setting does not run '$stages'"; }
done <<TABLE
ingest.cell_m=2 ingest mesh solve post
site.crs=local ingest mesh solve post
mesh.block_count=50 mesh solve post
random.seed=7 mesh solve post
contact.friction=0.41 solve post
solve.dt_s=0.02 solve post
report.title=Other post
TABLE
# What the command line sets holds for all sites, also where it says what the first one says anyway.
printf '[contact]\nfriction = 0.41\n' >>two.ini
"$batch" one.ini two.ini --out same --set contact.friction=0.6 >said 2>&1 || fail "--set"
[ "$(cat same/stages/solve/*/run.nc | cut -d' ' -f1 | sort -u)" = 0.6 ] || fail "--set does not hold for all sites"
sed -i '/contact/,$d' two.ini
# A program built anew, of the same version, does its stage and what follows again.
: >trace
cp bin/talus-solve solve-before
echo '# built anew' >>bin/talus-solve
"$batch" one.ini --out study --set contact.friction=0.41 >said 2>&1 || fail "a new program"
[ "$(ran ingest) $(ran mesh) $(ran solve) $(ran post)" = "0 0 1 1" ] || fail "a new program runs $(sort trace)"
mv solve-before bin/talus-solve
# A comment, or blanks, run nothing; other bytes in a cloud run everything, the same bytes elsewhere nothing.
: >trace
printf '# a comment\n' >>one.ini
"$batch" one.ini --out study --set contact.friction=0.41 >said 2>&1 || fail "a comment"
[ ! -s trace ] || fail "a comment runs $(cat trace)"
mkdir -p elsewhere
cp a.xyz b.xyz one.ini elsewhere/
"$batch" elsewhere/one.ini --out study --set contact.friction=0.41 >said 2>&1 || fail "elsewhere"
[ ! -s trace ] || fail "the same bytes elsewhere run $(cat trace)"
echo 3 >elsewhere/b.xyz
"$batch" elsewhere/one.ini --out study --set contact.friction=0.41 >said 2>&1 || fail "another cloud"
[ "$(ran ingest) $(ran mesh) $(ran solve) $(ran post)" = "1 1 1 1" ] || fail "another cloud runs $(cat trace)"
# A run somebody deleted is made again, with the same bytes.
sum=$(cat "$run_folder/finished.json" | sha256sum)
rm -r "$run_folder"
run || fail "a deleted run"
[ "$(cat "$run_folder/finished.json" | sha256sum)" = "$sum" ] || fail "a deleted run comes back different"

# Mistakes before any work.
: >trace
printf 'contact.frcition,solve.dt_s\n0.4,-1\n' >wrong.csv
if "$batch" one.ini --settings wrong.csv --out study >said 2>&1; then fail "a wrong table is used"; fi
grep -q 'frcition.*did you mean friction' said || fail "no hint"
grep -q 'dt_s = -1 must be in' said || fail "not all mistakes at once"
if "$batch" one.ini --out study --engine clouds >said 2>&1; then fail "an unknown engine"; fi
grep -q 'must be local or slurm' said || fail "no hint about engines"
mkdir -p full && echo mine >full/thesis.txt
if "$batch" one.ini --out full >said 2>&1; then fail "a folder with other things in it is used"; fi
grep -q 'is not empty and holds no study' said || fail "no reason"
if "$batch" one.ini --out nothing --resume >said 2>&1; then fail "--resume of nothing"; fi
grep -q 'holds no study to continue' said || fail "no reason for --resume"
[ ! -s trace ] || fail "work was done: $(cat trace)"
# One bad path, or a file with mistakes, first or not: the others run, and the end is not a good one.
printf '[contact]\nfriction = much\n' >muddled.ini
for bad in 'absent.ini one.ini two.ini' 'one.ini absent.ini two.ini' 'one.ini two.ini muddled.ini'; do
    rm -rf some
    : >trace
    status=0
    # shellcheck disable=SC2086
    "$batch" $bad --out some >said 2>&1 || status=$?
    [ $status -eq 1 ] || fail "$bad: exit status $status"
    grep -q 'absent.ini: no such file\|muddled.ini:2: .*much is not a number' said || fail "$bad: not told"
    grep -q '1 of 3 sites were left out' said || fail "$bad: the end does not say so"
    [ "$(ran post)" -eq 2 ] && [ "$(grep -c ',done,' some/results.csv)" -eq 2 ] || fail "$bad: the others did not run"
done
: >trace
if "$batch" absent.ini muddled.ini --out none >said 2>&1; then fail "no good site"; fi
[ ! -s trace ] && [ ! -e none ] || fail "work was done for no site"
# Sites of one name are told apart, also from one that is called like that by itself.
mkdir -p x
cp a.xyz b.xyz x
for site in a-3.ini a.ini x/a.ini; do cp one.ini "$site"; done
"$batch" a-3.ini a.ini x/a.ini --out named >said 2>&1 || fail "sites of one name"
[ "$(sed 1d named/results.csv | cut -d, -f1 | sort -u | wc -l)" -eq 3 ] || { cat named/results.csv; fail "two sites have one name"; }
# A program that is missing.
mv bin/talus-mesh bin/elsewhere
if "$batch" one.ini --out study2 >said 2>&1; then fail "a missing program"; fi
grep -q 'talus-mesh.*cannot be started' said || fail "does not say which program is missing"
