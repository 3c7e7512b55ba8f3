# SPDX-License-Identifier: GPL-3.0-or-later
# Beside other work (four busy loops per core) two threads cost at most 1.3 times the processor time of
# one, and give the same bits. Whatever OpenMP's variables say.
. "$TALUS_SOURCE/tests/support/common.sh"
export OMP_WAIT_POLICY=active GOMP_SPINCOUNT=infinite
busy=''
for i in $(seq $((4 * $(nproc)))); do
    sh -c 'while :; do :; done' &
    busy="$busy $!"
done
trap 'kill $busy' EXIT
# cost THREADS: processor time of the fall, in ms per step; the hash goes to a file.
cost() {
    timeout 300 "$TALUS_TEST_BIN/solver_bench" S2_3000 "$1" 1.0 1e-3 60 >said || fail "$1 threads do not finish"
    sed -n 's/.*hash //p' said >"hash.$1"
    sed -n 's/.*steps: \([0-9.]*\) CPU.*/\1/p' said
}
one=$(cost 1)
two=$(cost 2)
again=$(cost 1)
cmp hash.1 hash.2 || fail "two threads give other bits"
echo "one thread $one and $again, two threads $two ms of processor time per step"
awk -v a="$one" -v b="$again" -v t="$two" 'BEGIN {exit !(t <= 1.3 * (a + b) / 2)}' || fail "two threads cost too much"
[ "$failures" -eq 0 ]
