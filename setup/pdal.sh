#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Puts PDAL into DIR/pdal: Debian 12 does not package it, Debian 11 does. The signed Debian 11
# packages, with their security updates, are fetched with apt into a private folder and unpacked
# there; the machine's own packages, package lists and apt settings are neither changed nor used at
# run time.
set -eu

suite=bullseye
packages="pdal libpdal-plugin-e57"
# Not filters.csf: version 2.2.0 has it, but it squares the number of points and runs out of
# memory (PDAL bug 3248, mended in later versions).
wanted="readers.las readers.e57 filters.smrf filters.outlier filters.icp filters.reprojection"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Written into the stamp; a new number rebuilds older prefixes.
recipe=2

usage() {
    cat <<'TEXT'
Usage: pdal.sh --build-dir DIR

Makes DIR/pdal/bin/pdal from the PDAL packages of Debian 11, unless PDAL is there
already: named by $TALUS_PDAL, on the PATH, or made by an earlier run. Needs no root.
When PDAL cannot be had, it says so and exits with 0: talus works without it.

  TALUS_PDAL=FILE          use this pdal program
  TALUS_PDAL_MIRROR=URL    take the packages from this Debian mirror or archive
TEXT
}

say() { printf 'pdal: %s\n' "$*" >&2; }

give_up() {
    say "PDAL is not available ($*), so talus reads LAS, XYZ and rasters only;" \
        "see \"PDAL\" in docs/install.md."
    exit 0
}

# ---- A private apt ---------------------------------------------------------------------

# The machine's settings for proxies and passwords stay in force. Its hooks, pins and default
# release would break a private apt, and nothing may loosen the signature check.
write_apt_settings() {
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/state/status"
    cat >"$apt/apt.conf" <<SETTINGS
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
#clear APT::Architectures;
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Update::Error-Mode "any";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
// Debian 11 is finished: its Release file is never signed anew.
Acquire::Check-Valid-Until "false";
Acquire::Retries "2";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
SETTINGS
    # The download user of apt may not enter the build folder (below /root, for example).
    [ "$(id -u)" != 0 ] || echo 'APT::Sandbox::User "root";' >>"$apt/apt.conf"
}

# Paths go on the command line, where no quoting is needed. The empty status file makes every
# dependency, the C library included, part of the download.
private_apt() {
    LC_ALL=C apt-get -c "$apt/apt.conf" \
        -o Dir::State="$apt/state" -o Dir::State::lists="$apt/state/lists" \
        -o Dir::State::status="$apt/state/status" \
        -o Dir::State::extended_states="$apt/state/extended_states" \
        -o Dir::Cache="$apt/cache" -o Dir::Cache::archives="$apt/cache/archives" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::trusted=/dev/null -o Dir::Etc::trustedparts=/dev/null \
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        "$@" >"$apt/log" 2>&1
}

# The mirrors of the machine's own Debian sources. apt reads them (both file formats).
machine_mirrors() {
    # shellcheck disable=SC2016  # apt fills these in
    apt-get indextargets --no-release-info \
        --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk '$1 == "main" && $2 !~ /security/ && $3 !~ /^cdrom:/ {
            sub(/\/+$/, "", $3)
            if (!seen[$3]++) print $3
        }'
}

source_line() { echo "deb [signed-by=$keyring arch=$architecture target=Packages] $1 $2 main"; }

read_index() {
    source_line "$1" "$suite" >"$apt/sources.list"
    private_apt -qq update
}

# The security suite, from beside the mirror that was found: apt then takes the newer packages.
add_security_suite() {
    for place in "${1%/debian}/debian-security" "$1-security"; do
        source_line "$1" "$suite" >"$apt/sources.list"
        source_line "$place" "$suite-security" >>"$apt/sources.list"
        if private_apt -qq update; then return 0; fi
    done
    say "no mirror gave the security updates of Debian 11: PDAL comes without them."
    read_index "$1"
}

# Some mirrors keep finished releases beside the living ones, in NAME-archive.
read_index_somewhere() {
    mirrors=${TALUS_PDAL_MIRROR:-$(machine_mirrors)}
    [ -n "$mirrors" ] || give_up "this machine names no Debian mirror"
    error=
    for mirror in $mirrors; do
        for place in "$mirror" "$mirror-archive/debian" "$mirror-archive"; do
            if read_index "$place"; then
                add_security_suite "$place"
                return
            fi
            error=${error:-$(apt_error)}
            # A mirror that does not answer will not answer for its archive either.
            grep -q 'does not have a Release file' "$apt/log" || break
        done
    done
    return 1
}

apt_error() { sed -n 's/^E: //p' "$apt/log" | head -n 1 | tr -s ' ' | cut -c 1-200; }

fetch_packages() {
    write_apt_settings
    read_index_somewhere || give_up "no mirror gave the Debian 11 package list: $error"
    # shellcheck disable=SC2086
    private_apt --no-install-recommends --assume-no install $packages || true
    size=$(sed -n 's/^Need to get \(.*\) of archives\.$/\1/p' "$apt/log")
    count=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' "$apt/log")
    say "Debian 12 has no PDAL: fetching that of Debian 11" \
        "(${count:-?} packages, ${size:-?}) into $target."
    # shellcheck disable=SC2086
    private_apt -qq -y --no-install-recommends --download-only install $packages ||
        give_up "the Debian 11 packages could not be fetched: $(apt_error)"
}

# ---- The prefix ------------------------------------------------------------------------

# Only what pdal uses at run time is kept: no old programs, nothing with special rights.
unpack_packages() {
    everything=$part/everything
    root=$part/pdal/root
    mkdir -p "$everything" "$root/usr/bin" "$root/usr/share/doc"
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$everything" 2>/dev/null ||
            give_up "${package##*/} could not be unpacked; is there 400 MB of room in $build_dir?"
    done
    for piece in lib usr/lib usr/bin/pdal usr/share/gdal usr/share/proj; do
        mv "$everything/$piece" "$root/$piece" || give_up "the packages hold no $piece"
    done
    for file in "$everything"/usr/share/doc/*/copyright; do
        name=${file%/copyright}
        name=${name##*/}
        cp -L "$file" "$root/usr/share/doc/$name.copyright" 2>/dev/null || true
    done
    chmod -R u+rwX,go-w,ug-s "$root"
}

# The wrapper finds everything from its own place, so the prefix may be moved or linked to.
write_wrapper() {
    loader=$(cd "$root" && for file in lib/*/ld-*.so; do echo "$file"; break; done)
    [ -x "$root/$loader" ] || give_up "the Debian 11 packages hold no program loader"
    triplet=${loader#lib/}
    triplet=${triplet%%/*}
    mkdir -p "$part/pdal/bin"
    cat >"$part/pdal/bin/pdal" <<WRAPPER
#!/bin/sh
# Starts the private PDAL with its own loader, libraries and data; made by setup/pdal.sh.
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/root
lib=\$root/usr/lib/$triplet
unset LD_LIBRARY_PATH LD_PRELOAD
export PDAL_DRIVER_PATH="\$root/usr/lib"
export GDAL_DATA="\$root/usr/share/gdal" GDAL_DRIVER_PATH=disable
export PROJ_LIB="\$root/usr/share/proj"
export GCONV_PATH="\$lib/gconv" LC_ALL=C
exec "\$root/$loader" --inhibit-cache \\
    --library-path "\$root/usr/lib:\$root/lib/$triplet:\$lib:\$lib/blas:\$lib/lapack" \\
    "\$root/usr/bin/pdal" "\$@"
WRAPPER
    chmod 755 "$part/pdal/bin/pdal"
}

# Proves that pdal starts, has what talus asks for, and writes and reads LAZ.
check_prefix() {
    pdal=$part/pdal/bin/pdal
    version=$("$pdal" --version 2>"$apt/log" | sed -n 's/^pdal \([0-9.]*\).*/\1/p')
    [ -n "$version" ] || give_up "the one of Debian 11 does not start: $(head -n 1 "$apt/log")"
    drivers=$("$pdal" --drivers 2>/dev/null | awk '{print $1}' | tr '\n' ' ')
    for driver in $wanted; do
        case " $drivers" in *" $driver "*) ;; *) give_up "PDAL $version lacks $driver" ;; esac
    done
    cat >"$part/write.json" <<'PIPELINE'
[{"type": "readers.faux", "mode": "ramp", "count": 1000, "bounds": "([0, 9], [0, 9], [0, 9])"},
 {"type": "writers.las", "compression": "laszip", "minor_version": 4, "dataformat_id": 6}]
PIPELINE
    "$pdal" pipeline "$part/write.json" --writers.las.filename="$part/points.laz" \
        >"$apt/log" 2>&1 || true
    "$pdal" info --stats "$part/points.laz" 2>>"$apt/log" | grep -q '"count": 1000' ||
        give_up "PDAL $version does not read LAZ here: $(head -n 1 "$apt/log")"
}

# Leftovers of runs that were killed: their process is gone.
remove_leftovers() {
    for leftover in "$build_dir"/pdal.part.*; do
        [ -d "$leftover" ] || continue
        kill -0 "${leftover##*.}" 2>/dev/null || rm -rf "$leftover"
    done
}

make_prefix() {
    case $build_dir in *:*) give_up "the folder $build_dir has a colon in its name" ;; esac
    for tool in apt-get dpkg awk; do
        command -v "$tool" >/dev/null || give_up "its packages need $tool, which is not here"
    done
    [ -r "$keyring" ] || give_up "$keyring is not here (package debian-archive-keyring)"
    architecture=$(dpkg --print-architecture)
    new=
    [ -d "$build_dir" ] || new=yes
    mkdir -p "$build_dir" 2>/dev/null || give_up "the folder $build_dir cannot be made"
    build_dir=$(CDPATH='' cd -- "$build_dir" && pwd)
    target=$build_dir/pdal
    remove_leftovers
    part=$build_dir/pdal.part.$$
    apt=$part/apt
    trap 'rm -rf "$part"; [ -z "$new" ] || rmdir "$build_dir" 2>/dev/null || true' EXIT
    trap 'exit 130' INT TERM HUP
    mkdir "$part" 2>/dev/null || give_up "the folder $build_dir cannot be written to"
    fetch_packages
    unpack_packages
    write_wrapper
    check_prefix
    echo "recipe $recipe" >"$part/pdal/.complete"
    rm -rf "$target"
    mv "$part/pdal" "$target" || give_up "$target cannot be written to"
    say "PDAL $version is ready ($(du -sh "$target" | cut -f 1)): $target/bin/pdal"
}

# ---- Main ------------------------------------------------------------------------------

build_dir=
while [ $# -gt 0 ]; do
    case $1 in
        --build-dir)
            build_dir=${2:-}
            [ -n "$build_dir" ] || { say "--build-dir needs a folder."; exit 2; }
            shift
            ;;
        --build-dir=?*) build_dir=${1#*=} ;;
        --help) usage; exit 0 ;;
        *) say "unknown option $1; pdal.sh --help lists them."; exit 2 ;;
    esac
    shift
done
[ -n "$build_dir" ] || { say "say where with --build-dir DIR."; exit 2; }

if [ -n "${TALUS_PDAL:-}" ]; then
    command -v "$TALUS_PDAL" >/dev/null ||
        say "TALUS_PDAL is $TALUS_PDAL, which is not a program that can be run."
    exit 0
fi
if found=$(command -v pdal); then
    say "using $found."
    exit 0
fi
if [ "$(cat "$build_dir/pdal/.complete" 2>/dev/null)" = "recipe $recipe" ]; then
    exit 0
fi
make_prefix
