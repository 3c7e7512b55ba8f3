# SPDX-License-Identifier: GPL-3.0-or-later
# talus-solve --dump-problem writes the contact problem of a step with the percussions found. Two cubes of
# 2700 kg lie on a flat for steps of 10 ms: what carries them is 2 m g dt = 529.5591 N s, in the step and in
# what talus-contact finds. Sliding adds 0.6 times that.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }
contact=$TALUS_BIN/talus-contact
printf '[site]\ncrs = local\n[solve]\nuntil_s = 0.05\ntolerance = 1e-9\n[contact]\nfriction = 0.6\n' >site.ini
solve() { "$TALUS_BIN/talus-solve" site.ini --out out --threads 1 --overwrite "$@"; }
# sums N T: of the normal parts in r.txt, and the length of the sum of the tangential ones (both cubes have
# the same frame). Single percussions of four points are not determined.
sums() {
    awk -v n="$1" -v t="$2" 'function far(x, y) { return x - y > 1e-5 * y + 1e-3 || y - x > 1e-5 * y + 1e-3 }
        { a += $1; x += $2; y += $3 }
        END { b = sqrt(x * x + y * y); if (far(a, n) || far(b, t)) { print a, b; exit 1 } }' r.txt || fail "expected $1 and $2"
}

mkdir out
write_terrain
write_blocks
make_files
expect 0 '8 contacts of step 2 in out/contact-2.hdf5' solve --dump-problem 2
expect 0 'contact-2.hdf5' "$contact" out/contact-2.hdf5 --reaction r.txt
sums 529.5591 0
if command -v h5dump >/dev/null; then
    h5dump -d /solution/r -y -w 1 out/contact-2.hdf5 | sed -n '/DATA {/,/}/ s/^ *\(-\{0,1\}[0-9][^,]*\),\{0,1\}$/\1/p' |
        paste -d' ' - - - >r.txt
    sums 529.5591 0
else
    echo "left out: h5dump is not there (Debian: hdf5-tools)"
fi
# Both slide with 3 m/s: friction is 0.6 times the load.
change blocks 's/^velocity =.*/velocity = 3, 0, 0, 3, 0, 0 ;/'
make_files
expect 0 'step 2 in' solve --dump-problem 2
expect 0 'contact-2.hdf5' "$contact" out/contact-2.hdf5 --reaction r.txt --overwrite
sums 529.5591 317.7355
# Nothing to write is said, and the run goes on.
change blocks 's/^position =.*/position = 0, 0, 9, 3, 0, 9 ;/'
make_files
expect 0 'dump-problem 2: there are no contacts' solve --dump-problem 2
[ -e out/run.nc ] || fail "the run was given up"
expect 0 'dump-problem 900: the run ended after step 5' solve --dump-problem 900
expect 2 'must be the number of a step' solve --dump-problem 0
change blocks 's/^position =.*/position = 0, 0, 0.5, 3, 0, 0.5 ;/'
make_files
change blocks 's/^velocity =.*/velocity = 0, 0, 0, 0, 0, 0 ;/'
make_files
# acd2 has a form too, and the solvers of the thesis take it.
expect 0 '8 contacts of step 2 in' solve --dump-problem 2 --set contact.law=acd2
for solver in automatic sweeps uzawa acd2-interior-point; do
    expect 0 "$solver" "$contact" out/contact-2.hdf5 --solver $solver --reaction r.txt --overwrite
    sums 529.5591 0
done
expect 1 'interior-point does not solve problems with the law acd2' "$contact" out/contact-2.hdf5 --solver interior-point
# Rolling friction has none.
expect 0 'have no form as a contact problem' solve --dump-problem 2 --set contact.law=rolling --set contact.rolling_friction=0.1
[ "$failures" -eq 0 ]
