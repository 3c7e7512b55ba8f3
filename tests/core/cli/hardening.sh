# SPDX-License-Identifier: GPL-3.0-or-later
# Programs load code from no folder that is not theirs, and are built so that a mistake in them is hard
# to use: at an unknown address, canaries on the stack, checked libc calls, tables bound at the start.
. "$TALUS_SOURCE/tests/support/common.sh"
command -v readelf >/dev/null || { echo "SKIPPED: readelf is not here"; exit 0; }

# lists PROGRAM OPTION WORDS: readelf's answer has them.
lists() {
    readelf -W "$2" "$1" | grep -q -e "$3"
}

for program in "$TALUS_BIN"/talus-* "$TALUS_TEST_BIN"/talus-echo; do
    name=${program##*/}
    paths=$(readelf -W -d "$program" | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1/p')
    case ":$paths:" in
        ::) ;; # none
        *::*) fail "$name looks for libraries in the current folder: [$paths]" ;;
    esac
    for folder in $(echo "$paths" | tr : ' '); do
        case $folder in /*) ;; *) fail "$name looks for libraries in $folder, seen from anywhere" ;; esac
    done
    lists "$program" -h 'Type:.*DYN' || fail "$name is loaded at a fixed address"
    lists "$program" -l GNU_RELRO && lists "$program" -d 'BIND_NOW\|FLAGS_1.*NOW' ||
        fail "$name leaves the loader's tables writable"
    lists "$program" -s __stack_chk_fail || fail "$name has no canaries on the stack"
    lists "$program" -s __asan_init || lists "$program" -s '__[a-z]*printf_chk' ||
        fail "$name calls libc unchecked"
done
[ "$failures" -eq 0 ]
