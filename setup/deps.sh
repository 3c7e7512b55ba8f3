#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the Debian 12 packages of packages.txt that this machine does not have yet.
# Touches no network when nothing is missing.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
list=$here/packages.txt
guide=docs/install.md

usage() {
    cat <<'TEXT'
Usage: deps.sh [--build-dir DIR] [--without-tests] [--check]

Installs what talus needs to be built, to draw its report and to be tested.
On Debian 12 it uses apt-get, as root or through sudo; on other systems it
lists what is needed and what of it is there.

  --build-dir DIR   also put PDAL into DIR/pdal when the machine has none (pdal.sh)
  --without-tests   leave out what only `make check` needs
  --check           install nothing: list what is missing
  --help            this text

Exit status: 0 talus can be built, 1 something needed is missing, 2 wrong usage.
TEXT
}

say() { printf 'deps: %s\n' "$*" >&2; }

# ---- The list --------------------------------------------------------------------------

# "name minimum kind purpose" of the packages of the given kinds.
packages_of() {
    awk -v kinds=" $* " '!/^#/ && NF >= 4 && index(kinds, " " $3 " ")' "$list"
}

# "name version" of every listed package that is fully installed for this architecture.
installed_versions() {
    # shellcheck disable=SC2046  # one word per package is what is wanted
    dpkg-query -W -f='${Package} ${Architecture} ${db:Status-Abbrev} ${Version}\n' \
        $(awk '!/^#/ && NF {print $1}' "$list") 2>/dev/null |
        awk -v native="$(dpkg --print-architecture)" \
            '($2 == native || $2 == "all") && $3 ~ /^.i$/ {print $1, $4}'
}

# Names of the packages of the given kinds that are absent or too old.
missing() {
    have=$(installed_versions)
    packages_of "$@" | while read -r name minimum _; do
        version=$(printf '%s\n' "$have" | awk -v name="$name" '$1 == name {print $2; exit}')
        if [ -z "$version" ]; then
            printf '%s\n' "$name"
        elif [ "$minimum" != - ] && dpkg --compare-versions "${version#*:}" lt "$minimum"; then
            printf '%s\n' "$name"
        fi
    done
}

# What is left out without the given packages, as one phrase.
purposes_of() {
    awk -v names=" $* " '!/^#/ && NF >= 4 && index(names, " " $1 " ") {
        $1 = $2 = $3 = ""; sub(/^ +/, ""); sub(/ \(.*\)$/, "")
        if (!seen[$0]++) phrase = phrase (phrase == "" ? "" : ", ") $0
    } END {print phrase}' "$list"
}

# ---- Debian 12 -------------------------------------------------------------------------

is_debian_12() {
    [ -r /etc/os-release ] && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null &&
        (
            # shellcheck disable=SC1091
            . /etc/os-release
            case " ${ID:-} ${ID_LIKE:-} " in *" debian "*) ;; *) exit 1 ;; esac
            case ${DEBIAN_CODENAME:-${VERSION_CODENAME:-}}/${VERSION_ID:-} in
                bookworm/* | */12 | */12.*) exit 0 ;;
            esac
            exit 1
        )
}

# How a command becomes root: directly, or through sudo, asking only a person who is there.
find_root() {
    as_root=
    [ "$(id -u)" != 0 ] || return 0
    command -v sudo >/dev/null || return 1
    if sudo -n true 2>/dev/null; then
        as_root=sudo
    elif [ -t 2 ] && (: </dev/tty) 2>/dev/null; then
        say "sudo may ask for your password to install packages."
        as_root=sudo
        sudo -v || return 1
    else
        return 1
    fi
}

# sudo drops the environment: what apt needs of it is handed over by name.
run_apt() {
    $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${no_proxy:+no_proxy="$no_proxy"} \
        apt-get -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@"
}

refresh_lists() {
    say "asking the Debian mirror for its package lists."
    lists=fresh
    tries=60
    until run_apt -qq -o APT::Update::Error-Mode=any -o Acquire::Retries=1 update >"$log" 2>&1; do
        if [ "$tries" -gt 0 ] && grep -q 'Could not get lock' "$log"; then
            [ "$tries" -lt 60 ] || say "another program is installing packages; waiting for it."
            tries=$((tries - 1))
            sleep 5
            continue
        fi
        lists=stale
        say "the package lists could not all be refreshed; trying with those that are here."
        return 0
    done
}

# Installs the named packages; the words of apt stay in $log unless it fails.
install() {
    what=$1
    shift
    plan=$(run_apt --no-install-recommends --assume-no install "$@" 2>/dev/null || true)
    fetch=$(printf '%s\n' "$plan" | sed -n 's/^Need to get \([^/]*\).* of archives\.$/\1/p')
    disk=$(printf '%s\n' "$plan" | sed -n 's/^After this operation, \(.*\) of additional.*/\1/p')
    count=$(printf '%s\n' "$plan" | sed -n 's/.* \([0-9]*\) newly installed.*/\1/p')
    size=
    [ -z "$fetch" ] ||
        size=" (packages with what they need: $count, download: $fetch, disk: ${disk:-0 B})"
    say "installing for $what$size: $*"
    retries=3
    [ "$lists" = fresh ] || retries=0
    run_apt -y -qq --no-install-recommends -o Acquire::Retries="$retries" \
        -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
        install "$@" >"$log" 2>&1
}

show_apt_errors() {
    grep -E '^(E|Err|dpkg: error)' "$log" | head -n 3 | sed 's/^/    /' >&2 || true
}

way_out() {
    if [ "$lists" = stale ]; then
        echo "The Debian mirror could not be reached: check the network or the proxy."
    else
        echo "apt-get failed as shown above."
    fi
}

install_required() {
    # shellcheck disable=SC2046,SC2086
    install "the build" $required && [ -z "$(missing build)" ] && return 0
    show_apt_errors
    left=$(missing build | tr '\n' ' ')
    say "talus cannot be built yet, these packages could not be installed: ${left% }."
    say "$(way_out) Then run the same command again; \"Troubleshooting\" in $guide helps."
    return 1
}

# Optional packages never fail the set-up: first all at once, then one by one.
install_optional() {
    # shellcheck disable=SC2086
    if ! install "$optional_for" $optional && [ "$lists" = fresh ]; then
        for package in $(missing $optional_kinds); do
            install "$(purposes_of "$package")" "$package" || true
        done
    fi
    # shellcheck disable=SC2086
    left=$(missing $optional_kinds | tr '\n' ' ')
    [ -n "$left" ] || return 0
    # shellcheck disable=SC2086
    say "could not install ${left% }; everything works but this is skipped: $(purposes_of $left)."
}

no_root() {
    if [ -z "$required" ]; then
        say "without root these cannot be installed: ${optional% }; everything works but this is" \
            "skipped: $(purposes_of "$optional")."
        return 0
    fi
    if libraries_report >/dev/null 2>&1; then
        say "some Debian packages are missing, but pkg-config finds every library: going on."
        return 0
    fi
    say "packages are missing and installing them needs root: run this as root or with sudo, or" \
        "ask whoever looks after this machine to run:"
    say "    apt-get install --no-install-recommends $required$optional"
    return 1
}

on_debian() {
    required=$(missing build | tr '\n' ' ')
    # shellcheck disable=SC2086
    optional=$(missing $optional_kinds | tr '\n' ' ')
    if [ -z "$required$optional" ]; then
        say "every package is here."
        return 0
    fi
    if [ "$check" = yes ]; then
        say "missing, needed to build talus: ${required:-none}"
        say "missing, optional: ${optional:-none}"
        [ -z "$required" ]
        return
    fi
    find_root || { no_root; return; }
    log=$(mktemp "${TMPDIR:-/tmp}/talus-deps.XXXXXX")
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' INT TERM HUP
    refresh_lists
    [ -z "$required" ] || install_required || return 1
    [ -z "$optional" ] || install_optional
    say "done."
}

# ---- Other systems ---------------------------------------------------------------------

# Debian package, pkg-config module (or a dash), header; only libraries of kind build.
probes() {
    cat <<'TABLE'
libgdal-dev         gdal     gdal.h
libproj-dev         proj     proj.h
libnetcdf-dev       netcdf   netcdf.h
libhdf5-dev         hdf5     hdf5.h
libqhull-dev        qhull_r  libqhull_r/libqhull_r.h
libgsl-dev          gsl      gsl/gsl_version.h
libsuitesparse-dev  SuiteSparse_config suitesparse/cholmod.h
liblapacke-dev      lapacke  lapacke.h
libnlopt-dev        nlopt    nlopt.h
libinih-dev         inih     ini.h
libcjson-dev        libcjson cjson/cJSON.h
nettle-dev          nettle   nettle/sha2.h
TABLE
}

has_header() {
    printf '#include <%s>\n' "$1" | ${CC:-cc} -E -x c - >/dev/null 2>&1
}

# One library: prints what was found; fails when it is absent or too old.
probe_library() {
    if pkg-config --exists "$2" 2>/dev/null; then
        found=$(pkg-config --modversion "$2")
        [ "$4" = - ] || pkg-config --atleast-version="$4" "$2" ||
            { printf '%s is too old\n' "$found"; return 1; }
        printf '%s\n' "$found"
    elif has_header "$3" || has_header "${3##*/}"; then
        echo "found, version not known"
    else
        echo "missing"
        return 1
    fi
}

# A table of what building needs and what is here; fails when something is missing.
libraries_report() {
    complete=yes
    printf '%-22s %-9s %s\n' "Debian 12 name" needed here
    for tool in "${CC:-cc}" cmake pkg-config; do
        if command -v "$tool" >/dev/null; then found=found; else found=missing complete=no; fi
        printf '%-22s %-9s %s\n' "$tool" - "$found"
    done
    for package in $(probes | awk '{print $1}'); do
        minimum=$(awk -v name="$package" '$1 == name {print $2}' "$list")
        # shellcheck disable=SC2046
        found=$(probe_library $(probes | awk -v name="$package" '$1 == name') "$minimum") ||
            complete=no
        printf '%-22s %-9s %s\n' "$package" "$minimum" "$found"
    done
    [ "$complete" = yes ]
}

on_other_system() {
    say "this is not Debian 12, so nothing is installed here. What talus needs to be built:"
    status=0
    libraries_report >&2 || status=1
    # shellcheck disable=SC2086
    say "optional, by their Debian 12 names: $(packages_of $optional_kinds |
        awk '{printf "%s%s%s", sep, $1, $2 == "-" ? "" : " " $2; sep = ", "}')."
    if [ "$status" = 0 ]; then
        say "every library is here, the build can go on."
    else
        say "install what is missing with your system's package manager: see $guide."
    fi
    return "$status"
}

# ---- Main ------------------------------------------------------------------------------

build_dir=
check=no
optional_kinds="figures python video test"
optional_for="figures, Python, films and tests"
while [ $# -gt 0 ]; do
    case $1 in
        --build-dir)
            build_dir=${2:-}
            [ -n "$build_dir" ] || { say "--build-dir needs a folder."; exit 2; }
            shift
            ;;
        --build-dir=?*) build_dir=${1#*=} ;;
        --without-tests) optional_kinds="figures python" optional_for="figures and Python" ;;
        --check) check=yes ;;
        --help) usage; exit 0 ;;
        *) say "unknown option $1; deps.sh --help lists them."; exit 2 ;;
    esac
    shift
done

if is_debian_12; then on_debian; else on_other_system; fi
if [ -n "$build_dir" ] && [ "$check" = no ]; then
    mkdir -p "$build_dir"
    sh "$here/pdal.sh" --build-dir "$build_dir"
fi
