#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# talus-contact: a problem whose answer is known, through every form and solver; faults in files, each
# with its own sentence; a problem without solution is reported as such.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
contact=$TALUS_BIN/talus-contact

# One kilogram comes down with 1 m/s; sideways it sticks, slides or has no friction.
write_problem() { # SIDEWAYS FRICTION
    printf 'FCP 1\n# by hand\nkind local\ndim 3\nnc 1\nmu\n%s\nq\n-1 %s 0\nW 1\n0 0 1 0 0 0 1 0 0 0 1\nend\n' \
        "$2" "$1" >one.fcp
}

# near A B C: the three numbers in r.txt
near() {
    awk -v a="$1" -v b="$2" -v c="$3" 'function d(x, y) { return x > y ? x - y : y - x }
        { exit !(NF == 3 && d($1, a) < 1e-6 && d($2, b) < 1e-6 && d($3, c) < 1e-6) }' r.txt ||
        fail "expected $1 $2 $3, found $(cat r.txt)"
}

for solver in automatic sweeps finisher newton interior-point; do
    write_problem 0.2 0.5
    expect 0 "$solver" "$contact" one.fcp --solver $solver --tolerance 1e-7 --reaction r.txt --overwrite
    near 1 -0.2 0
    write_problem 5 0.5
    expect 0 "$solver" "$contact" one.fcp --solver $solver --tolerance 1e-7 --reaction r.txt --overwrite
    near 1 -0.5 0
    write_problem 5 0
    expect 0 "$solver" "$contact" one.fcp --solver $solver --tolerance 1e-7 --reaction r.txt --overwrite
    near 1 0 0
done

# Ninety kilograms, one on the other, come down together: more than one linear system or the first sweeps can
# do, and the sweeps have a second turn. The ground gives 90 N s, the last but one of
# them 1.
awk 'BEGIN { n = 90; print "FCP 1\nkind local\ndim 3\nnc " n "\nmu"
    for (k = 0; k < n; k++) printf "0.5 "
    print "\nq"
    for (k = 0; k < n; k++) printf "%d 0 0 ", k == 0 ? -1 : 0
    print "\nW " 3 * n - 2
    for (k = 0; k < n; k++) {
        d = k == 0 ? 1 : 2
        if (k > 0) print k, k - 1, -1, 0, 0, 0, -1, 0, 0, 0, -1
        print k, k, d, 0, 0, 0, d, 0, 0, 0, d
        if (k < n - 1) print k, k + 1, -1, 0, 0, 0, -1, 0, 0, 0, -1
    }
    print "end" }' >column.fcp
expect 0 automatic "$contact" column.fcp --systems 1 --reaction column.txt
# An error of 1e-8 a joint adds up over the joints below and above it: 90 times 90 times as much.
awk 'NR == 1 { first = $1 } END { exit !(NR == 90 && first > 89.99 && first < 90.01 && $1 > 0.99 && $1 < 1.01) }' \
    column.txt || fail "the column weighs $(sed -n '1p;$p' column.txt)"

# With no sweeps left for a second turn it is told as not solved.
expect 1 "1 of 1 problems not solved" "$contact" column.fcp --sweeps 1 --systems 1

# The same problem through FCLIB and back, and with masses: M = 1, H = identity, f = M times q.
write_problem 5 0.5
expect 0 automatic "$contact" one.fcp --solution one.hdf5
expect 0 automatic "$contact" one.hdf5 --reaction r.txt --overwrite
near 1 -0.5 0
expect 0 automatic "$contact" one.hdf5 --solution back.fcp
grep -q '^solution_r' back.fcp || fail "back.fcp has no solution"
expect 0 automatic "$contact" back.fcp
# A number of four gigabytes is none: the size of its type stands behind 10 08 00 00 in an integer of four bytes.
at=$(LC_ALL=C grep -obUaP '\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00' one.hdf5 | head -n 1 | cut -d: -f1)
cp one.hdf5 large.hdf5
printf '\377' | dd of=large.hdf5 bs=1 seek=$((at + 7)) conv=notrunc 2>/dev/null
cmp -s one.hdf5 large.hdf5 && fail "no type was found to damage"
(ulimit -t 1 && expect 1 'cannot be read' "$contact" large.hdf5 && [ "$failures" -eq 0 ]) || failures=$((failures + 1))
head -c 3000 one.hdf5 >short.hdf5
expect 1 'short.hdf5' "$contact" short.hdf5
if command -v h5dump >/dev/null; then
    h5dump -n 1 one.hdf5 >names.txt
    for name in fclib_local/spacedim fclib_local/W/nz fclib_local/W/nzmax fclib_local/W/m fclib_local/W/n \
        fclib_local/W/p fclib_local/W/i fclib_local/W/x fclib_local/vectors/q fclib_local/vectors/mu \
        fclib_local/info/title solution/r solution/u; do
        grep -q "dataset */$name\$" names.txt || fail "$name is not in one.hdf5"
    done
else
    echo "left out: h5dump is not there (Debian: hdf5-tools)"
fi
printf 'FCP 1\nkind global\ndim 3\nnc 1\nnd 3\nmu\n0.5\nw\n0 0 0\nf\n-2 10 0\nM 3\n0 0 2\n1 1 2\n2 2 2\nH 3\n0 0 1\n1 1 1\n2 2 1\nend\n' >global.fcp
expect 0 automatic "$contact" global.fcp --solution global.hdf5 --reaction r.txt --overwrite
near 2 -1 0
expect 0 automatic "$contact" global.hdf5 --reaction r.txt --overwrite
near 2 -1 0
# In the plane: normal and one tangent.
printf 'FCP 1\nkind local\ndim 2\nnc 1\nmu\n0.5\nq\n-1 5\nW 1\n0 0 1 0 0 1\nend\n' >plane.fcp
expect 0 automatic "$contact" plane.fcp --reaction r.txt --overwrite
near 1 -0.5 0

# Walls that close on a body: no reaction stops them.
printf 'FCP 1\nkind local\ndim 3\nnc 2\nmu\n0.3 0.3\nq\n-1 0 0 -1 0 0\nW 4\n0 0 1 0 0 0 1 0 0 0 1\n0 1 -1 0 0 0 -1 0 0 0 1\n1 0 -1 0 0 0 -1 0 0 0 1\n1 1 1 0 0 0 1 0 0 0 1\nend\n' >closing.fcp
expect 1 "NOT SOLVED" "$contact" closing.fcp --sweeps 1000
expect 1 "1 of 2 problems not solved" "$contact" one.fcp closing.fcp --sweeps 1000

# What was added to W is told by every method that adds something (column 11), and only by those.
printf 'FCP 1\nkind local\ndim 3\nnc 2\nmu\n0.5 0.5\nq\n-1 0.1 0 -1 0.1 0\nW 4\n0 0 1 0 0 0 1 0 0 0 1\n0 1 1 0 0 0 1 0 0 0 1\n1 0 1 0 0 0 1 0 0 0 1\n1 1 1 0 0 0 1 0 0 0 1\nend\n' >twice.fcp
for solver in newton interior-point finisher sweeps; do
    "$contact" twice.fcp --solver "$solver" >table.txt || fail "$solver does not solve twice.fcp"
    awk -v sweeps="$([ "$solver" = sweeps ] && echo 1)" 'NR == 2 && (sweeps ? $11 == 0 : $11 > 0) { good = 1 }
        END { exit !good }' table.txt || fail "$solver: what was added is $(sed -n 2p table.txt)"
done

expect 0 "interior-point" "$contact" one.fcp global.hdf5 --compare --profile profile.svg
grep -q '</svg>' profile.svg || fail "profile.svg is not whole"

# acd2: a block of 2 kg and edges 1, 2, 3 m strikes with a corner at 1 m/s, kn = 4 kg, kt = 0.7 kg. In closed
# form it leaves with 0.314945 along the normal and 0.36152519, 0.62335342 m/s aside, so r = -k (u + before)/2.
printf 'FCP 1\nkind local\nlaw acd2\ndim 3\nnc 1\nkn\n4\nkt\n0.7\nbefore\n-1 0 0\nq\n-1 0 0\nW 1\n0 0 1.1115384615384616 0.45 0.6923076923076923 0.45 3.05 -0.6 0.6923076923076923 -0.6 1.8384615384615384\nend\n' >acd2.fcp
for solver in automatic sweeps finisher newton uzawa acd2-interior-point; do
    expect 0 "$solver" "$contact" acd2.fcp --solver $solver --reaction r.txt --overwrite
    near 1.370109 -0.12653382 -0.21817370
done
expect 0 automatic "$contact" acd2.fcp --solution acd2-back.fcp
expect 0 automatic "$contact" acd2-back.fcp --reaction r.txt --overwrite
near 1.370109 -0.12653382 -0.21817370
expect 0 "acd2-interior-point" "$contact" acd2.fcp one.fcp --compare
expect 1 "interior-point does not solve problems with the law acd2" "$contact" acd2.fcp --solver interior-point
expect 1 "uzawa does not solve problems with the law coulomb" "$contact" one.fcp --solver uzawa
expect 0 automatic "$contact" acd2.fcp --solution acd2.hdf5
expect 0 automatic "$contact" acd2.hdf5 --reaction r.txt --overwrite
near 1.370109 -0.12653382 -0.21817370
# acd2+coulomb: one kilogram comes down with 1 m/s and leaves with 0.5 under kn = 6 kg. kt = 2 kg would take
# all of what goes sideways; the cone takes at most mu r_N. Without kn, with an endless kt and nothing before,
# it is dry friction.
write_mixed() { # MU KN KT BEFORE SIDEWAYS
    printf 'FCP 1\nkind local\nlaw acd2+coulomb\nnc 1\nmu\n%s\nkn\n%s\nkt\n%s\nbefore\n%s\nq\n-1 %s 0\nW 1\n0 0 1 0 0 0 1 0 0 0 1\nend\n' \
        "$@" >mixed.fcp
}
mixed() { # A B C, through both forms
    for solver in automatic sweeps finisher newton; do
        expect 0 "$solver" "$contact" mixed.fcp --solver $solver --reaction r.txt --overwrite
        near "$@"
    done
    expect 0 automatic "$contact" mixed.fcp --solution mixed.hdf5 --overwrite
    expect 0 automatic "$contact" mixed.hdf5 --reaction r.txt --overwrite
    near "$@"
}
write_mixed 0.5 6 2 '-1 5 0' 5
mixed 1.5 -0.75 0
write_mixed 0.5 6 2 '-1 0.2 0' 0.2
mixed 1.5 -0.2 0
write_mixed inf 6 2 '-1 5 0' 5
mixed 1.5 -5 0
write_mixed 0.5 0 inf '0 0 0' 5
mixed 1 -0.5 0
expect 1 "uzawa does not solve problems with the law acd2+coulomb: it solves the convex program.*one of automatic, sweeps, finisher, newton$" "$contact" mixed.fcp --solver uzawa
expect 1 "without a bound and with kn = 0" sh -c "sed 's/^before/bound\n-inf\nbefore/' mixed.fcp >free.fcp; '$contact' free.fcp"
write_problem 5 inf
expect 1 "friction = inf" "$contact" one.fcp
write_problem 5 0.5
# Solvers that do not fit a law are no part of its table, nor of its figure.
"$contact" one.fcp --compare --profile dry.svg >table.txt 2>&1
grep -q uzawa table.txt dry.svg && fail "uzawa stands among the solvers of dry friction"
"$contact" acd2.fcp --compare --profile acd2.svg >table.txt 2>&1
grep -q '^uzawa.*100 %' table.txt || fail "uzawa has no share of acd2: $(cat table.txt)"
grep -q '>interior-point' acd2.svg && fail "the interior point of dry friction stands in the figure of acd2"
sed 's/acd2/acd3/' acd2.fcp >wrong_law.fcp
sed '/^before/,+1d' acd2.fcp >no_before.fcp
sed 's/^4$/-4/' acd2.fcp >negative_kn.fcp
expect 1 "law 'acd3' must be coulomb, acd2 or acd2+coulomb" "$contact" wrong_law.fcp
# A count that comes after what it counts would have it read beyond its end.
sed 's/^W 1$/nc 9\n&/' acd2.fcp >late_count.fcp
expect 1 "late_count.fcp:14: nc must stand before all that it counts" "$contact" late_count.fcp
expect 1 "before is missing" "$contact" no_before.fcp
expect 1 "kn = -4 and kt = 0.7 must be 0 or more" "$contact" negative_kn.fcp

# Faults, one at a time.
expect 2 "which contact problem" "$contact"
expect 2 "is not one of automatic" "$contact" one.fcp --solver magic
expect 2 "must be a number" "$contact" one.fcp --tolerance much
expect 1 "missing.fcp" "$contact" missing.fcp
echo hello >text.fcp
expect 1 "neither FCLIB" "$contact" text.fcp
sed 's/^0.5$/-0.5/' one.fcp >negative.fcp
expect 1 "friction = -0.5 must not be negative" "$contact" negative.fcp
sed 's/^-1 5 0$/-1 5 x/' one.fcp >letter.fcp
expect 1 "letter.fcp:9: 'x' is not a number" "$contact" letter.fcp
sed '/^end/d' one.fcp >cut.fcp
expect 1 "ends before 'end'" "$contact" cut.fcp
sed '/^mu/,+1d' one.fcp >no_mu.fcp
expect 1 "mu is missing" "$contact" no_mu.fcp
sed "s/^W 1$/W 23066923/" one.fcp >many.fcp
expect 1 "W should have 253736153 numbers, but the file ends earlier" "$contact" many.fcp
head -c 1000 one.hdf5 >torn.hdf5
expect 1 "torn.hdf5" "$contact" torn.hdf5
expect 1 "already exists" "$contact" one.fcp --solution one.hdf5

# A signal does not wait for a solver that would go on for hours.
stop_with() { # SIGNAL STATUS
    env --default-signal=HUP "$contact" one.fcp closing.fcp --solver sweeps --sweeps 1000000000 >said 2>&1 &
    pid=$!
    for _ in $(seq 500); do grep -q one.fcp said && break; sleep 0.02; done
    sleep 0.2
    kill -"$1" $pid
    for _ in $(seq 250); do kill -0 $pid 2>/dev/null || break; sleep 0.02; done
    kill -9 $pid 2>/dev/null && fail "SIG$1 did not end a long solve in 5 s"
    wait $pid
    [ $? -eq "$2" ] || fail "SIG$1 should end with $2"
    grep -q 'stopped on request' said || fail "SIG$1 ended it without a word"
}
stop_with TERM 143
stop_with INT 130
stop_with HUP 129
# Words that nobody can read any more, as after a terminal was closed, change nothing of that.
env --default-signal=HUP "$contact" closing.fcp --solver sweeps --sweeps 1000000000 >/dev/null 2>/dev/full &
pid=$!
sleep 1
kill -HUP $pid
wait $pid
status=$?
[ $status -eq 129 ] || fail "SIGHUP and words that cannot be written: $status"
[ "$failures" -eq 0 ]
