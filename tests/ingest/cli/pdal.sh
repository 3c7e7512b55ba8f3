# SPDX-License-Identifier: GPL-3.0-or-later
# The PDAL that talus-ingest starts: it has limits and no network and ends when we do. Also what its
# packages come from. A script stands in for pdal, and another for apt.
. "$TALUS_SOURCE/tests/support/common.sh"
ingest=$TALUS_BIN/talus-ingest
printf '[site]\nbefore = a.e57\nafter = a.e57\ncrs = local\n' >site.ini
echo points >a.e57
cat >pdal <<'STUB'
#!/bin/sh
{
    echo "memory $(ulimit -v)"
    echo "time $(ulimit -t)"
    echo "links $(grep -c : /proc/net/dev)"
    echo "proxy ${https_proxy:-none}"
} >"$HERE/seen"
[ -z "$SLOW" ] || { sleep 300 & echo $! >"$HERE/started"; echo $$ >"$HERE/pid"; exec sleep 300; }
echo "pdal: error: not today" >&2
exit 1
STUB
chmod +x pdal
export TALUS_PDAL="$PWD/pdal" HERE="$PWD" SLOW=''

expect 1 'a.e57: pdal could not read it: pdal: error: not today' "$ingest" site.ini --out out
total=$(awk '/^MemTotal/ {print $2}' /proc/meminfo)
awk -v total="$total" '$1 == "memory" && $2 > 0 && ($2 < total || $2 == 2097152) {ok = 1} END {exit !ok}' seen ||
    fail "no limit of memory: $(grep memory seen)"
grep -q '^time [1-9]' seen || fail "no limit of time: $(grep time seen)"
grep -q '^links [01]$' seen || grep -q '^proxy http://127.0.0.1:9$' seen || fail "it has a network: $(cat seen)"
grep -q '^links [01]$' seen && echo "no network: by the kernel" || echo "no network: by a proxy that is not there"

# stopped SIGNAL STATUS: talus-ingest ends at once with it, and takes pdal along.
stopped() {
    rm -f pid
    env --default-signal=HUP "$ingest" site.ini --out out --overwrite >said 2>&1 &
    started=$!
    for i in $(seq 100); do [ -s pid ] && break; sleep 0.1; done
    kill -"$1" $started
    wait $started
    status=$?
    [ $status -eq "$2" ] || fail "SIG$1: exit status $status, not $2: $(cat said)"
    [ "$1" = KILL ] || grep -q 'stopped on request' said || fail "SIG$1: $(cat said)"
    for i in $(seq 30); do kill -0 "$(cat pid)" 2>/dev/null || break; sleep 0.1; done
    kill -0 "$(cat pid)" 2>/dev/null && { fail "SIG$1: pdal is left behind"; kill "$(cat pid)"; }
}
SLOW=yes
for signal in TERM:143 HUP:129; do
    stopped "${signal%:*}" "${signal#*:}"
    for i in $(seq 30); do kill -0 "$(cat started)" 2>/dev/null || break; sleep 0.1; done
    kill "$(cat started)" 2>/dev/null && fail "$signal: what pdal started is left behind"
done
stopped KILL 137
kill "$(cat started)" 2>/dev/null # a kill -9 of us ends pdal alone

# Packages: the security suite beside the plain one.
mkdir -p bin
cat >bin/apt-get <<'STUB'
#!/bin/sh
list=''
for word; do case $word in Dir::Etc::sourcelist=*) list=${word#*=} ;; esac; done
case " $* " in
    *' update '*) cp "$list" "$HERE/sources"; ! grep -q "$REFUSE" "$list" ;;
    *) echo 'E: no packages today' >&2; exit 100 ;;
esac
STUB
chmod +x bin/apt-get
unset TALUS_PDAL
export REFUSE=nothing TALUS_PDAL_MIRROR=http://mirror/debian
# Without a pdal on the PATH.
packages() { PATH="$PWD/bin:/usr/bin:/bin" sh "$TALUS_SOURCE/setup/pdal.sh" --build-dir "$PWD/build"; }
if PATH=/usr/bin:/bin command -v pdal >/dev/null || [ ! -r /usr/share/keyrings/debian-archive-keyring.gpg ]; then
    echo "SKIPPED: this machine has a pdal of its own, or no keyring of Debian"
else
    expect 0 'no packages today' packages
    grep -q 'http://mirror/debian bullseye main' sources || fail "no plain suite: $(cat sources)"
    grep -q 'http://mirror/debian-security bullseye-security main' sources || fail "no security suite: $(cat sources)"
    REFUSE=security
    expect 0 'no mirror gave the security updates' packages
    grep -q security sources && fail "a suite that is not there stays: $(cat sources)"
fi
[ "$failures" -eq 0 ]
