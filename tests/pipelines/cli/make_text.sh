# SPDX-License-Identifier: GPL-3.0-or-later
# What a user gives to the front door is text: neither make nor the shell carries out anything in it.
. "$TALUS_SOURCE/tests/support/common.sh"
mkdir -p b/release/bin
cat >b/release/bin/talus-batch <<'STUB'
#!/bin/sh
for word; do printf '<%s>' "$word"; done
STUB
cp b/release/bin/talus-batch b/release/bin/talus-calibrate
chmod +x b/release/bin/*
# Nothing is installed or built: both are said to be done.
front() { make --no-print-directory -C "$TALUS_SOURCE" -o build -o deps-run BUILD="$PWD/b" "$@"; }
command='$(shell touch '$PWD/hit')'

expect 2 'there is no site file' front which-site SITE="$command"
expect 2 'there is no site file' front which-site SITE="'; touch '$PWD/hit"
expect 2 'which site' front which-site SITE=
echo '[site]' >"$PWD/a\$(b)'c d.ini"
expect 0 "<$PWD/a\$(b)'c d.ini><--engine=local><--out><out/a--b--c-d-calibrate>" \
    front calibrate SITE="$PWD/a\$(b)'c d.ini"
expect 0 '<--out><$(shell touch' front calibrate SITE="$PWD/a\$(b)'c d.ini" OUT="$command"
expect 0 "<--out><out/batch><--><one.ini;><touch><$PWD/hit><'>" front batch SITES="one.ini; touch $PWD/hit '"
expect 0 '<--><$(shell>' front batch SITES="$command"
expect 0 '<--engine=;touch' front batch SITES=a.ini ENGINE=";touch $PWD/hit"
touch p.ini q.ini
expect 0 "<--><$PWD/p.ini><$PWD/q.ini>" front batch SITES="$PWD/[pq].ini"
for name in BUILD PRESET; do
    expect 2 'without any of' front help $name="$command"
done
expect 2 'No test is named like \^no \$(shell touch .*)\$' front -o deps -o all check ONLY="^no $command\$"
expect 0 'make demo' front help PREFIX="$command" DESTDIR="$command"
[ ! -e hit ] || fail "something a user gave was carried out"
[ "$failures" -eq 0 ]
