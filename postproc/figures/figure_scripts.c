// SPDX-License-Identifier: GPL-3.0-or-later
// The GMT scripts of the figures: plain shell with the numbers of the study at their top, so that a
// user can change and run them again.
#include "postproc/figures/figure_scripts.h"

#include "postproc/report/report_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char BEGIN[] =
    "#!/bin/sh\n"
    "# Drawn by GMT 6 (gmt 6.4 and ghostscript in Debian 12). Run it again after a change:\n"
    "#   sh %s.sh\n"
    "set -eu\n"
    "cd \"$(dirname \"$0\")\"\n"
    "scratch=$(mktemp -d)\n"
    "trap 'rm -rf \"$scratch\"' EXIT\n"
    "export GMT_USERDIR=\"$scratch\" GMT_TMPDIR=\"$scratch\" SOURCE_DATE_EPOCH=0 LC_ALL=C\n"
    "gmt=${TALUS_GMT:-gmt}\n";

static const char STYLE[] =
    "$gmt begin %s png,pdf A+m0.3c,E200\n"
    "$gmt set FONT_ANNOT_PRIMARY 10p,Helvetica,gray20 FONT_LABEL 11p,Helvetica,gray10 \\\n"
    "    FONT_TITLE 12p,Helvetica-Bold,gray10 FONT_TAG 12p,Helvetica-Bold,gray10 \\\n"
    "    MAP_FRAME_TYPE plain MAP_FRAME_PEN 0.7p,gray30 MAP_TICK_PEN 0.6p,gray30 \\\n"
    "    MAP_TICK_LENGTH_PRIMARY 3p MAP_GRID_PEN_PRIMARY 0.25p,gray85 MAP_TITLE_OFFSET 4p \\\n"
    "    MAP_LABEL_OFFSET 5p MAP_ANNOT_OFFSET_PRIMARY 4p FORMAT_FLOAT_MAP %%.12lg\n";

static void begin(tal_text *text, const char *name) {
    tal_text_append(text, BEGIN, name);
}

static void style(tal_text *text, const char *name) {
    tal_text_append(text, STYLE, name);
}

static double nice_step(double range, double parts) {
    const double raw = range / parts, unit = pow(10.0, floor(log10(raw)));
    const double share = raw / unit;
    return (share <= 1.0 ? 1.0 : share <= 2.0 ? 2.0 : share <= 5.0 ? 5.0 : 10.0) * unit;
}

// Region of a map in the study's coordinates, its size on paper, and the spacing of its ticks.
typedef struct {
    double west, east, south, north;
    double width_cm, height_cm;
    double tick;
} sheet;

static sheet map_sheet(const tal_analysis *a, double width_cm) {
    const tal_bounds b = tal_report_map_focus(a);
    const double east = (double)a->survey.origin.east, north = (double)a->survey.origin.north;
    sheet s = {b.west + east, b.east + east, b.south + north, b.north + north, width_cm, 0.0, 0.0};
    s.height_cm = width_cm * (b.north - b.south) / (b.east - b.west);
    s.tick = nice_step(b.east - b.west, width_cm / 2.2);
    return s;
}

static void append_region(tal_text *text, const sheet *s) {
    tal_text_append(text,
                    "region=%.3f/%.3f/%.3f/%.3f  # west/east/south/north, m\n"
                    "size=%.3fc/%.3fc\nwidth=%.3f height=%.3f  # cm\ntick=%g\n",
                    s->west, s->east, s->south, s->north, s->width_cm, s->height_cm, s->width_cm,
                    s->height_cm, s->tick);
}

// Shade once, faint enough that colours over it stay true. Rasters in plain metres: GMT is told to
// take them as Cartesian (-fc), whatever coordinate system the GeoTIFF names.
static void append_shade(tal_text *text) {
    tal_text_append(text, "$gmt grdgradient ../bed.tif -fc -A315 -Nt1 -G\"$scratch/shade.grd\"\n"
                          "$gmt makecpt -Cgray -T-1.5/0.75 > \"$scratch/shade.cpt\"\n");
}

// A name from a file, safe between single quotes and without GMT's escapes.
static void append_plain(tal_text *text, const char *name) {
    for (const char *c = name; *c != '\0'; c++) {
        const bool is_plain = (*c >= ' ' && *c <= '~') && strchr("'\\@`$\"", *c) == NULL;
        tal_text_append(text, "%c", is_plain ? *c : '_');
    }
}

// A triangle where the flow line meets the runout of a deposit.
static void toe_mark(tal_text *text, const tal_analysis *a, tal_score_key runout,
                     const char *colour) {
    double x, y;
    if (a->has_line && isfinite(a->scores.value[runout])) {
        tal_flow_line_point(&a->line, a->scores.value[runout], &x, &y);
        tal_text_append(text, "echo %.3f %.3f | $gmt plot -St0.42c -G%s -W0.8p,white\n",
                        x + (double)a->survey.origin.east, y + (double)a->survey.origin.north,
                        colour);
    }
}

static void write_map(tal_text *text, const tal_analysis *a) {
    const tal_bounds focus = tal_report_map_focus(a);
    const double tall = (focus.north - focus.south) / (focus.east - focus.west);
    const bool is_tall = tall > 1.05;
    const sheet s = map_sheet(a, is_tall ? fmax(8.0, 16.5 / tall) : 16.0);
    const double bar = nice_step(s.east - s.west, 6.0);
    const tal_crs_info *crs = tal_crs_get_info(a->survey.crs);
    begin(text, "map");
    append_region(text, &s);
    append_shade(text);
    style(text, "map");
    tal_text_append(text, "$gmt grdimage \"$scratch/shade.grd\" -R$region -JX$size "
                          "-C\"$scratch/shade.cpt\"\n");
    tal_text_append(text,
                    "$gmt grdmath -fc ../thickness.tif DUP %s GT 0 NAN MUL = "
                    "\"$scratch/thick.grd\"\n"
                    "$gmt grdimage \"$scratch/thick.grd\" -Cthickness.cpt -Q\n",
                    a->survey.epochs == 2 ? "../lod.tif" : "0.000001");
    tal_text_append(text, "$gmt plot source.txt -W1.4p,black,6_3\n"
                          "$gmt plot simulated.txt -W1.5p,213/94/0\n");
    if (a->has_survey_deposit) {
        tal_text_append(text, "$gmt plot surveyed.txt -W2.2p,0/114/178\n");
    }
    if (a->has_line) {
        tal_text_append(text, "$gmt plot flow_line.txt -W1.6p,black,.\n");
    }
    toe_mark(text, a, TAL_SCORE_runout_surveyed_m, "0/114/178");
    toe_mark(text, a, TAL_SCORE_runout_simulated_m, "213/94/0");
    tal_text_append(
        text, "$gmt basemap -BWSne -Bxa${tick}+l\"Easting (m)\" -Bya${tick}+l\"Northing (m)\" "
              "--MAP_ANNOT_OBLIQUE=lat_parallel\n");
    // A scale bar and an arrow of our own: GMT's want a geographic projection.
    const double cm = (s.east - s.west) / s.width_cm; // metres on the ground per cm on paper
    const double x = s.west + 0.7 * cm, y = s.south + 0.55 * cm;
    tal_text_append(text,
                    "echo %.3f %.3f | $gmt plot -Sr%.4fc/0.95c -Gwhite\n"
                    "printf '%%s\\n' '%.3f %.3f' '%.3f %.3f' | $gmt plot -W3p,black\n"
                    "echo '%.3f %.3f %g m' | $gmt text -F+f10p,Helvetica-Bold,black+jBC -Dj0/3p\n",
                    x + bar / 2.0, y + 0.2 * cm, bar / (s.east - s.west) * s.width_cm + 0.8, x, y,
                    x + bar, y, x + bar / 2.0, y, bar);
    const double nx = s.east - 0.8 * cm, ny = s.north - 1.1 * cm;
    tal_text_append(
        text,
        "echo %.3f %.3f | $gmt plot -Sr1.1c/1.75c -Gwhite\n"
        "echo %.3f %.3f 90 0.9c | $gmt plot -Sv0.42c+e+jc -W2.2p,black -Gblack -D0/-0.3c\n"
        "echo '%.3f %.3f N' | $gmt text -F+f12p,Helvetica-Bold,black+jBC -D0/0.28c\n",
        nx, ny, nx, ny, nx, ny);
    tal_text_append(text, "cat > \"$scratch/legend.txt\" <<'END'\n%s", is_tall ? "" : "N 2\n");
    if (a->has_survey_deposit) {
        tal_text_append(text, "S 0.5c - 0.8c - 2.2p,0/114/178 1.2c Surveyed deposit\n");
    }
    tal_text_append(text, "S 0.5c - 0.8c - 1.5p,213/94/0 1.2c Simulated deposit\n"
                          "S 0.5c - 0.8c - 1.4p,black,6_3 1.2c Source\n");
    if (a->has_line) {
        tal_text_append(text, "S 0.5c - 0.8c - 1.6p,black,. 1.2c Flow line and toes\n");
    }
    tal_text_append(text,
                    "END\n$gmt legend \"$scratch/legend.txt\" %s --FONT_ANNOT_PRIMARY=10p\n"
                    "$gmt colorbar -Cthickness.cpt %s -Baf+l\"Simulated thickness (m)\"\n",
                    is_tall ? "-DJTR+w4.6c+jTL+o0.3c/0c" : "-DJBL+w8.4c+jTL+o0/1.35c",
                    is_tall ? "-DJBR+w7c/0.32c+jBL+o0.6c/0.2c+ef"
                            : "-DJBR+w6c/0.32c+h+jTR+o0.2c/1.5c+ef");
    tal_text_append(text, "echo '");
    append_plain(text, crs->is_local ? "Local coordinates" : crs->name);
    tal_text_append(text, "' | $gmt text -R0/1/0/1 -JX$size -N "
                          "-F+f9p,Helvetica,gray30+cTL+jBL -Dj0/6p\n$gmt end\n");
}

static void panel(tal_text *text, const char *grid, const char *cpt, const char *title,
                  const char *frame) {
    tal_text_append(
        text,
        "$gmt grdimage \"$scratch/shade.grd\" -R$region -JX$size "
        "-C\"$scratch/shade.cpt\" -B%s -Bxa${tick}+l\"Easting (m)\" -Bya${tick}+l\"Northing (m)\"\n"
        "$gmt grdimage \"$scratch/%s\" -C%s -Q\n"
        "echo '%s' | $gmt text -F+f11p,Helvetica-Bold,black+cTL -Dj5p/6p "
        "-Gwhite -C3p/3p -t10\n",
        frame, grid, cpt, title);
}

// Tall maps stand in a row with the colours below; wide ones lie two over one, with the colours in
// the corner that is left.
static void write_thickness(tal_text *text, const tal_analysis *a) {
    const tal_bounds b = tal_report_map_focus(a);
    const bool in_row = b.east - b.west < 1.1 * (b.north - b.south);
    sheet s = map_sheet(a, in_row ? 7.4 : 9.0);
    s.tick = nice_step(b.east - b.west, 4.0);
    begin(text, "thickness");
    append_region(text, &s);
    tal_text_append(text, "right=%.3f down=%.3f  # cm from panel to panel\n", s.width_cm + 0.5,
                    s.height_cm + 0.5);
    append_shade(text);
    tal_text_append(
        text, "$gmt grdmath -fc ../deposit.tif DUP ../lod.tif GT 0 NAN MUL = "
              "\"$scratch/surveyed.grd\"\n"
              "$gmt grdmath -fc ../thickness.tif DUP ../lod.tif GT 0 NAN MUL = "
              "\"$scratch/simulated.grd\"\n"
              "$gmt grdmath -fc \"$scratch/simulated.grd\" 0 DENAN \"$scratch/surveyed.grd\" 0 "
              "DENAN SUB DUP 0 NEQ 0 NAN MUL = \"$scratch/difference.grd\"\n");
    style(text, "thickness");
    panel(text, "surveyed.grd", "thickness.cpt", "a  Surveyed", in_row ? "WSne" : "Wsne");
    tal_text_append(text, "$gmt plot -T -X${right}c\n");
    panel(text, "simulated.grd", "thickness.cpt", "b  Simulated", "wSne");
    tal_text_append(text, "%s",
                    in_row ? "$gmt plot -T -X${right}c\n"
                           : "$gmt plot -T -X-${right}c -Y-${down}c\n");
    panel(text, "difference.grd", "difference.cpt", "c  Simulated \\255 surveyed",
          in_row ? "wSne" : "WSne");
    tal_text_append(text, "$gmt plot surveyed.txt -W1p,black\n");
    // Left end and height of the two colour bars, from the corner of the last panel.
    const double x[2] = {in_row ? -1.5 * s.width_cm : s.width_cm + 1.5,
                         in_row ? 0.2 : s.width_cm + 1.5};
    const double y[2] = {in_row ? -1.9 : 0.5 * s.height_cm,
                         in_row ? -1.9 : 0.5 * s.height_cm - 2.3};
    const double length = in_row ? 7.0 : s.width_cm - 2.0;
    tal_text_append(text,
                    "$gmt colorbar -Cthickness.cpt -Dx%.2fc/%.2fc+w%.2fc/0.35c+h+ef "
                    "-Baf+l\"Thickness (m)\"\n"
                    "$gmt colorbar -Cdifference.cpt -Dx%.2fc/%.2fc+w%.2fc/0.35c+h+e "
                    "-Baf+l\"Difference (m)\"\n$gmt end\n",
                    x[0], y[0], length, x[1], y[1], length);
}

static double toe_height(const tal_analysis *a, tal_score_key runout, tal_score_key mobility) {
    return a->crown_height - a->scores.value[runout] * a->scores.value[mobility];
}

static void fahrboeschung(tal_text *text, const tal_analysis *a, tal_score_key runout,
                          tal_score_key mobility, const char *colour, const char *place) {
    const double s = a->scores.value[runout], z = toe_height(a, runout, mobility);
    if (!isfinite(s) || !isfinite(z)) {
        return;
    }
    tal_text_append(text,
                    "printf '%%s\\n' '0 %.3f' '%.3f %.3f' | $gmt plot -W1p,%s,4_3\n"
                    "echo '%.3f %.3f' | $gmt plot -St0.3c -G%s -Wwhite\n"
                    "echo '%.3f %.3f %.1f@.' | $gmt text -F+f10p,Helvetica-Bold,%s+j%s -Dj5p/7p\n",
                    a->crown_height, s, z, colour, s, z, colour, s, z,
                    atan(a->scores.value[mobility]) * 57.29577951308232, colour, place);
}

static void write_profile(tal_text *text, const tal_analysis *a) {
    begin(text, "profile");
    tal_text_append(
        text, "read -r west east low high <<END\n"
              "$(awk '!/^#/ {if (n++ == 0) {w=$1; lo=1e30; hi=-1e30}; e=$1; for (i=2; i<=NF; "
              "i++) if ($i != \"NaN\") {if ($i+0<lo) lo=$i+0; if ($i+0>hi) hi=$i+0}} END "
              "{d=hi-lo; print w, e, lo-0.08*d, hi+0.08*d}' profile.txt)\nEND\n"
              "most=$($gmt gmtinfo mass.txt -C | awk '{m=$4>$6?$4:$6; print (m>0?1.12*m:1)}')\n");
    style(text, "profile");
    tal_text_append(text, "$gmt basemap -R$west/$east/$low/$high -JX16c/7.5c -BWsne -Bxafg "
                          "-Byafg+l\"Height (m)\"\n"
                          "$gmt plot profile.txt -i0,1 -W1.6p,gray25\n"
                          "$gmt plot profile.txt -i0,2 -W1p,gray55,4_2\n");
    if (a->has_survey_deposit) {
        tal_text_append(text, "$gmt plot profile.txt -i0,3 -W2p,0/114/178\n");
    }
    tal_text_append(text, "$gmt plot profile.txt -i0,4 -W1.6p,213/94/0\n");
    // The farther toe has room above it, the nearer one below.
    const bool goes_farther = !(a->scores.value[TAL_SCORE_runout_error_m] < 0.0);
    if (a->has_survey_deposit) {
        fahrboeschung(text, a, TAL_SCORE_runout_surveyed_m, TAL_SCORE_fahrboeschung_surveyed,
                      "0/114/178", goes_farther ? "TR" : "BL");
    }
    fahrboeschung(text, a, TAL_SCORE_runout_simulated_m, TAL_SCORE_fahrboeschung_simulated,
                  "213/94/0", goes_farther ? "BL" : "TR");
    tal_text_append(text, "cat > \"$scratch/legend.txt\" <<'END'\n"
                          "S 0.5c - 0.8c - 1.6p,gray25 1.2c Bed\n"
                          "S 0.5c - 0.8c - 1p,gray55,4_2 1.2c Before\n");
    if (a->has_survey_deposit) {
        tal_text_append(text, "S 0.5c - 0.8c - 2p,0/114/178 1.2c After\n");
    }
    tal_text_append(text,
                    "S 0.5c - 0.8c - 1.6p,213/94/0 1.2c Simulated\n"
                    "S 0.5c - 0.8c - 1p,gray25,4_3 1.2c Fahrb\\366schung\nEND\n"
                    "$gmt legend \"$scratch/legend.txt\" -DjTR+w4.3c+o0.2c "
                    "-F+gwhite --FONT_ANNOT_PRIMARY=10p\n"
                    "$gmt basemap -R$west/$east/0/$most -JX16c/4c -BWSne -Bxafg+l\"Distance "
                    "along the flow line from the crown (m)\" -Byafg+l\"Volume per m (m@+3@+/m)\" "
                    "-Y-4.5c\n");
    if (a->has_survey_deposit) {
        tal_text_append(text, "$gmt plot mass.txt -i0,1 -L+yb -G196/222/240\n"
                              "$gmt plot mass.txt -i0,1 -W1.8p,0/114/178\n");
    }
    tal_text_append(text, "$gmt plot mass.txt -i0,2 -W2p,213/94/0\n"
                          "$gmt end\n");
}

// Joules per unit of the axis.
static double energy_unit(const tal_analysis *a, const char **name) {
    double most = 0.0;
    for (int32_t i = 0; i < a->motion.step_count; i++) {
        most = fmax(most, a->motion.potential[0] - a->motion.potential[i]);
        most = fmax(most, a->motion.kinetic_translation[i]);
    }
    *name = most >= 1e12 ? "TJ" : most >= 1e9 ? "GJ" : most >= 1e6 ? "MJ" : "kJ";
    return most >= 1e12 ? 1e12 : most >= 1e9 ? 1e9 : most >= 1e6 ? 1e6 : 1e3;
}

static void write_energy(tal_text *text, const tal_analysis *a) {
    const char *unit;
    const double scale = energy_unit(a, &unit);
    begin(text, "energy");
    tal_text_append(text, "unit=%g  # J per %s\n", scale, unit);
    tal_text_append(
        text, "awk -v u=$unit '!/^#/ {print $1, $2/u, ($3+$4)/u, ($5+$6)/u, $3/u, $4/u, $5/u, "
              "$6/u}' energy.txt > \"$scratch/e.txt\"\n"
              "read -r end most low <<END\n$(awk '{t=$1; for (i=2; i<=4; i++) {if ($i>m) m=$i; "
              "if ($i<l) l=$i}} END {if (m<=0) m=1; print t, 1.08*m, (l<-0.02*m?1.08*l:-0.02*m)"
              "}' \"$scratch/e.txt\")\nEND\n"
              "kinetic=$(awk '{if ($5>m) m=$5; if ($6>m) m=$6} END {print (m>0?1.12*m:1)}' "
              "\"$scratch/e.txt\")\n");
    style(text, "energy");
    tal_text_append(text,
                    "$gmt basemap -R0/$end/$low/$most -JX12c/6c -BWsne -Bxafg "
                    "-Byafg+l\"Energy (%s)\"\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,1 -W2p,gray20\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,3 -W2p,213/94/0\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,6 -W1.3p,213/94/0,5_3\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,7 -W1.3p,213/94/0,1_3\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,2 -W2p,0/114/178\n"
                    "$gmt basemap -R0/$end/0/$kinetic -JX12c/3.4c -BWSne -Bxafg+l\"Time (s)\" "
                    "-Byafg+l\"Kinetic (%s)\" -Y-3.9c\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,4 -W2p,0/114/178\n"
                    "$gmt plot \"$scratch/e.txt\" -i0,5 -W1.8p,0/158/115\n",
                    unit, unit);
    tal_text_append(text, "cat > \"$scratch/legend.txt\" <<'END'\nN 2\n"
                          "S 0.4c - 0.8c - 2p,gray20 1.1c Potential released\n"
                          "S 0.4c - 0.8c - 2p,213/94/0 1.1c Dissipated\n"
                          "S 0.4c - 0.8c - 2p,0/114/178 1.1c Kinetic, translation\n"
                          "S 0.4c - 0.8c - 1.3p,213/94/0,5_3 1.1c ... along the normal\n"
                          "S 0.4c - 0.8c - 1.8p,0/158/115 1.1c Kinetic, rotation\n"
                          "S 0.4c - 0.8c - 1.3p,213/94/0,1_3 1.1c ... tangentially\nEND\n"
                          "$gmt legend \"$scratch/legend.txt\" -DJBC+w12c+jTC+o0/1.4c "
                          "--FONT_ANNOT_PRIMARY=10p\n$gmt end\n");
}

static void mobility_point(tal_text *text, double volume, const tal_volume *interval, double value,
                           const char *symbol, const char *colour) {
    if (!isfinite(volume) || !isfinite(value)) {
        return;
    }
    if (isfinite(interval->low) && isfinite(interval->high)) {
        tal_text_append(text, "printf '%%s\\n' '%g %g' '%g %g' | $gmt plot -W1.2p,%s\n",
                        fmax(interval->low, 1e-3), value, interval->high, value, colour);
    }
    tal_text_append(text, "echo '%g %g' | $gmt plot -S%s0.42c -G%s -W0.8p,white\n", volume, value,
                    symbol, colour);
}

static void write_mobility(tal_text *text, const tal_analysis *a) {
    const tal_volume *source = &a->survey.source_volume;
    const double volume = source->volume > 0.0 ? source->volume : 1e4;
    const double low = pow(10.0, fmin(1.0, floor(log10(volume)) - 1.0));
    const double high = pow(10.0, fmax(8.0, ceil(log10(volume)) + 1.0));
    begin(text, "mobility");
    tal_text_append(text,
                    "low=%g high=%g  # m3\n"
                    "awk -v a=$low -v b=$high 'BEGIN {for (i=0; i<=100; i++) {v=exp(log(a)+(log(b)-"
                    "log(a))*i/100); l=log(v)/log(10); print v, 10^(0.62419-0.15666*l), "
                    "10^(0.210-0.109*l)}}' > \"$scratch/lines.txt\"\n",
                    low, high);
    style(text, "mobility");
    tal_text_append(
        text,
        "$gmt basemap -R$low/$high/0.08/4 -JX12cl/9cl -BWSne "
        "-Bxa1pg1+l\"Volume of the source (m@+3@+)\" -Bya2fg2+l\"Fall height / runout, H/L (1)\"\n"
        "$gmt plot \"$scratch/lines.txt\" -i0,1 -W1.6p,gray25\n"
        "$gmt plot \"$scratch/lines.txt\" -i0,2 -W1.6p,gray25,6_3\n");
    if (a->has_survey_deposit) {
        mobility_point(text, source->volume, source,
                       a->scores.value[TAL_SCORE_fahrboeschung_surveyed], "c", "0/114/178");
    }
    mobility_point(text, source->volume, source, a->scores.value[TAL_SCORE_fahrboeschung_simulated],
                   "t", "213/94/0");
    tal_text_append(text, "cat > \"$scratch/legend.txt\" <<'END'\n"
                          "S 0.5c - 0.8c - 1.6p,gray25 1.2c Scheidegger 1973\n"
                          "S 0.5c - 0.8c - 1.6p,gray25,6_3 1.2c Corominas 1996, rockfalls\n");
    if (a->has_survey_deposit) {
        tal_text_append(text, "S 0.5c c 0.36c 0/114/178 0.8p,white 1.2c Surveyed\n");
    }
    tal_text_append(text, "S 0.5c t 0.36c 213/94/0 0.8p,white 1.2c Simulated\nEND\n"
                          "$gmt legend \"$scratch/legend.txt\" -DjTR+w6c+o0.2c -F+gwhite "
                          "--FONT_ANNOT_PRIMARY=10p\n$gmt end\n");
}

static void write_sizes(tal_text *text, const tal_analysis *a) {
    const tal_sieve *sieve = &a->sieve;
    double least = sieve->count > 0 ? sieve->size[0] : INFINITY;
    double most = sieve->count > 0 ? sieve->size[sieve->count - 1] : 0.0;
    for (int32_t i = 0; i < a->rocks.count; i++) {
        least = fmin(least, cbrt(a->rocks.volume[i]));
        most = fmax(most, cbrt(a->rocks.volume[i]));
    }
    // Less than a decade reads better on an even axis.
    const bool is_log = most > 8.0 * least;
    const double low = is_log ? least / 1.3 : fmax(0.0, least - 0.1 * most);
    const double high = is_log ? most * 1.3 : 1.1 * most;
    begin(text, "sizes");
    tal_text_append(text, "low=%.4g high=%.4g  # m\n", low, high);
    style(text, "sizes");
    tal_text_append(text,
                    "$gmt basemap -R$low/$high/0/100 -JX12c%s/9c -BWSne "
                    "-Bx%s+l\"Block size, cube root of the volume (m)\" "
                    "-Bya20f10g20+l\"Smaller (%%)\"\n",
                    is_log ? "l" : "", is_log ? "a2fg" : "afg");
    if (sieve->count > 0) {
        tal_text_append(text, "$gmt plot sizes_wanted.txt -W2.4p,gray30,1_3\n");
    }
    tal_text_append(text, "$gmt plot sizes.txt -i0,1 -W2p,0/114/178\n"
                          "$gmt plot sizes.txt -i0,2 -W1.8p,213/94/0,6_3\n"
                          "cat > \"$scratch/legend.txt\" <<'END'\n"
                          "S 0.5c - 0.8c - 2p,0/114/178 1.2c Made, by volume\n"
                          "S 0.5c - 0.8c - 1.8p,213/94/0,6_3 1.2c Made, by number\n");
    if (sieve->count > 0) {
        tal_text_append(text, "S 0.5c - 0.8c - 2.4p,gray30,1_3 1.2c Wanted, %s\n",
                        sieve->is_one_size ? "one size" : "by volume");
    }
    tal_text_append(text, "END\n$gmt legend \"$scratch/legend.txt\" -DjTL+w4.8c+o0.2c -F+gwhite "
                          "--FONT_ANNOT_PRIMARY=10p\n$gmt end\n");
}

static tal_text *add(tal_figure_scripts *scripts, const char *name, const char *title,
                     const char *caption, bool is_wide) {
    tal_figure_script *script = &scripts->script[scripts->count++];
    *script =
        (tal_figure_script){.name = name, .title = title, .caption = caption, .is_wide = is_wide};
    return &script->text;
}

tal_status tal_figure_scripts_create(tal_figure_scripts *scripts, const tal_analysis *a,
                                     tal_error *err) {
    *scripts = (tal_figure_scripts){0};
    write_map(
        add(scripts, "map", "Map",
            "Shaded bed, source, simulated thickness beyond the level of detection, outlines of "
            "both deposits and the flow line along which runout is measured.",
            true),
        a);
    if (a->survey.epochs == 2) {
        write_thickness(
            add(scripts, "thickness", "Thickness, side by side",
                "Surveyed and simulated thickness beyond the level of detection, and "
                "their difference: blue where the simulation has too much, orange where "
                "it has too little.",
                true),
            a);
    }
    if (a->has_line) {
        write_profile(add(scripts, "profile", "Along the flow line",
                          "Heights along the flow line with the Fahrb\xc3\xb6schung from crown to "
                          "toe, and the volume of the deposits per metre of the line.",
                          true),
                      a);
    }
    write_energy(
        add(scripts, "energy", "Energy over time",
            "Potential energy released since the start, what of it is kinetic, and what has "
            "been dissipated at contacts along their normal and tangentially.",
            false),
        a);
    write_mobility(
        add(scripts, "mobility", "How far for its size",
            "Fall height over runout against the volume of the source, with the lines of "
            "Scheidegger and Corominas; bars are the volume's 95 % interval.",
            false),
        a);
    write_sizes(add(scripts, "sizes", "Block sizes",
                    a->sieve.count > 0
                        ? "Share of the rock, by volume and by number, in blocks up to a size, and "
                          "the share by volume that was wanted."
                        : "Share of the rock, by volume and by number, in blocks up to a size.",
                    false),
                a);
    for (int i = 0; i < scripts->count; i++) {
        if (scripts->script[i].text.failed) {
            tal_figure_scripts_destroy(scripts);
            return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the scripts of the figures");
        }
    }
    return TAL_OK;
}

void tal_figure_scripts_destroy(tal_figure_scripts *scripts) {
    for (int i = 0; i < scripts->count; i++) {
        tal_text_destroy(&scripts->script[i].text);
    }
    scripts->count = 0;
}
