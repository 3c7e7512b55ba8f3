#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# talus-post --video: a film that ffprobe reads, whose frames are not blank and differ; a program that
# is missing is named before any work is done.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_TEST_BIN/post-make-scene" a blocks=40 frames=21 || exit 1
post() {
    "$TALUS_BIN/talus-post" a/site.ini --out a --overwrite --progress none --set report.figures=no \
        --set report.paraview_mb=0 --set report.video_s=0.4 --video "$@" >out.txt 2>err.txt
}

# Without a program: said at once, nothing written.
TALUS_CHROMIUM=/nowhere/chromium TALUS_FFMPEG=/nowhere/ffmpeg post && fail "a film without programs"
grep -q 'Debian: chromium' err.txt || fail "the missing browser is not named: $(cat err.txt)"
grep -q 'Debian: ffmpeg' err.txt || fail "the missing ffmpeg is not named: $(cat err.txt)"
[ ! -e a/report.html ] || fail "work was done before the programs were looked for"

if ! command -v ffprobe >/dev/null || ! command -v "${TALUS_CHROMIUM:-chromium}" >/dev/null; then
    echo "SKIPPED: a film needs chromium and ffmpeg"
    [ "$failures" -eq 0 ]
    exit
fi
room=$(mktemp -d) # short: the browser makes a socket below it
trap 'rm -rf "$room"' EXIT
TMPDIR=$room post || fail "talus-post --video failed: $(cat err.txt)"
ls "$room" | grep talus-film && fail "the frames were left behind"
ffprobe -v error -count_frames -select_streams v -show_entries stream=codec_name,width,height,nb_read_frames \
    -of csv=p=0 a/replay.mp4 >probe.txt 2>&1
[ "$(cat probe.txt)" = 'h264,1920,1080,10' ] || fail "ffprobe sees $(cat probe.txt)"
# Frames as small grey pictures: many tones in each, the first unlike the last.
ffmpeg -v error -i a/replay.mp4 -vf scale=96:54,format=gray -f rawvideo frames.gray || fail "no frames"
for frame in 0 9; do
    dd if=frames.gray bs=5184 skip=$frame count=1 2>/dev/null | od -An -v -tu1 -w1 >"frame$frame.txt"
    tones=$(sort -u "frame$frame.txt" | wc -l)
    [ "$tones" -ge 40 ] || fail "frame $frame has only $tones tones"
done
moved=$(paste frame0.txt frame9.txt | awk '($1 - $2) ^ 2 > 100' | wc -l)
[ "$moved" -ge 50 ] || fail "only $moved of 5184 pixels differ between the first and the last frame"
ffprobe -v error -show_entries stream=width,height -of csv=p=0 a/replay.jpg | grep -q '1920,1080' ||
    fail "replay.jpg is not a picture of the film"
grep -q 'replay.mp4' a/post.sha256 || fail "the film is not among the results"
[ "$failures" -eq 0 ]
