#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The pages: links lead somewhere, files that are named exist, equations are numbered once, those that the
# code names are there, and no line is so long that a change in it cannot be read.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"

# wrong_links FILE: its links to files and headings of this tree that lead nowhere.
wrong_links() {
    folder=$(dirname "$1")
    grep -o ']([^) ]*)' "$1" | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' | while read -r link; do
        target=${link%%#*}
        [ -n "$target" ] && target=$folder/$target || target=$1
        [ -e "$target" ] || { echo "$1: $link does not exist"; continue; }
        case $link in
        *#*) headings "$target" | grep -qx -- "${link#*#}" || echo "$1: $link: no such heading" ;;
        esac
    done
}

# headings FILE: as forges name them in links.
headings() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

# wrong_names ROOT FILE: paths in backticks that begin with a folder of the tree and are not there. NAME, * and {a,b}
# stand for something else.
wrong_names() {
    grep -o '`[a-z.]*/[A-Za-z0-9_./-]*`' "$2" | tr -d '`' |
        grep -E '^(core|ingest|mesher|solver|postproc|pipelines|tests|docs|datasets|examples|setup|cmake)/' |
        grep -v '[A-Z][A-Z]' | sort -u | while read -r path; do
        [ -e "$1/$path" ] || [ -e "$1/$path.c" ] || echo "$2: $path does not exist"
    done
}

# wrong_numbers FILE: equations whose number stands twice, or that is missing up to the last. Those of the
# finisher have an F.
wrong_numbers() {
    grep -o '\\tag{F*[0-9]*}' "$1" | sed 's/\\tag{F*//; s/}//' | sort -n |
        awk -v page="$1" '$1 != NR {print page ": equation " ($1 < NR ? $1 " stands twice" : NR " is missing"); exit}'
}

# wrong_references ROOT: equations that the code names and no page has.
wrong_references() {
    for folder in core ingest mesher solver postproc pipelines; do
        grep -rhoE --include='*.[ch]' 'docs/theory/[a-z]+\.md \([0-9]+\)(, \([0-9]+\))*' "$1/$folder" 2>/dev/null
    done | sort -u | while read -r page numbers; do
        [ -e "$1/$page" ] || continue
        for number in $(echo "$numbers" | tr -cd '0-9 '); do
            grep -q "\\\\tag{$number}" "$1/$page" || echo "the code names equation $number of $page"
        done
    done
}

long_lines() {
    awk -v page="$1" 'length > 999 {print page ":" FNR ": " length " characters"}' "$1"
}

check_page() { # ROOT FILE
    wrong_links "$2"
    wrong_names "$1" "$2"
    wrong_numbers "$2"
    long_lines "$2"
}

# The check finds what is wrong.
mkdir -p probe/core probe/docs/theory
printf '$$ a \\tag{12} $$\n' >probe/docs/theory/page.md
echo '// docs/theory/page.md (12), (2).' >probe/core/code.c
{
    printf '# One thing: and more\n\n[here](page.md#one-thing-and-more) [there](gone.md) [part](#nothing)\n'
    printf '`core/gone.c` `core/` `core/NAME.c`\n$$ a \\tag{1} $$\n$$ b \\tag{1} $$\n'
    awk 'BEGIN {for (i = 0; i < 1000; i++) printf "x"; print ""}'
} >probe/page.md
check_page probe probe/page.md >found
wrong_references probe >>found
[ "$(wc -l <found)" -eq 6 ] || { cat found; fail "the check does not find six things"; }

find "$TALUS_SOURCE" -mindepth 1 -name build -prune -o -name out -prune -o -name '.?*' -prune -o -name '*.md' -print | sort >pages
[ "$(wc -l <pages)" -gt 20 ] || fail "the pages are not found"
while read -r page; do
    check_page "$TALUS_SOURCE" "$page"
done <pages >found
wrong_references "$TALUS_SOURCE" >>found
[ ! -s found ] || { cat found; fail "the pages above"; }
[ "$failures" -eq 0 ]
