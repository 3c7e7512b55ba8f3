// SPDX-License-Identifier: GPL-3.0-or-later
// Binning of a large LAS file against `pdal translate` to writers.gdal: the same file, the same
// grid, the same three bands (elevation, count, standard deviation) on disk, in one run. The whole
// of talus-ingest (one epoch, with hashing and all outputs) is timed too. Prints points per second,
// ratios and the largest memory; appends a row to a CSV file where one is named.
//
//     ingest_binning FOLDER [MILLIONS] [CSV]
#define _GNU_SOURCE
#include "core/base/progress.h"
#include "core/base/random.h"
#include "ingest/ground/gridding.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 2000 }; // metres, with cells of one metre

static void put(uint8_t *p, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(value >> (8 * i) & 255U);
    }
}

static void put_real(uint8_t *p, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(p, bits, 8);
}

// LAS 1.2, point format 1, in scan lines as a survey comes.
static int write_cloud(const char *path, uint64_t count) {
    FILE *stream = fopen(path, "wb");
    uint8_t header[227] = {0};
    if (stream == NULL) {
        return 0;
    }
    memcpy(header, "LASF", 4);
    header[24] = 1;
    header[25] = 2;
    put(header + 94, sizeof header, 2);
    put(header + 96, sizeof header, 4);
    header[104] = 1;
    put(header + 105, 28, 2);
    put(header + 107, count, 4);
    for (int axis = 0; axis < 3; axis++) {
        put_real(header + 131 + 8 * axis, 0.001);
        put_real(header + 155 + 8 * axis, axis == 0 ? 693000.0 : axis == 1 ? 1638000.0 : 0.0);
        put_real(header + 179 + 16 * axis, axis == 0 ? 695000.0 : axis == 1 ? 1640000.0 : 900.0);
        put_real(header + 187 + 16 * axis, axis == 0 ? 693000.0 : axis == 1 ? 1638000.0 : 0.0);
    }
    fwrite(header, 1, sizeof header, stream);
    const tal_random random = tal_random_stream(1, 0, "bench/cloud");
    const uint64_t per_line = 5000;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t record[28] = {0};
        const uint64_t bits = tal_random_bits(random, i);
        const double x =
            ((double)(i % per_line) + (double)(bits & 65535U) / 65536.0) * SIDE / (double)per_line;
        const double y = ((double)(i / per_line) + (double)(bits >> 16 & 65535U) / 65536.0) * SIDE *
                         (double)per_line / (double)count;
        const double z = 300.0 + 0.1 * x + 40.0 * sin(x / 150.0) * cos(y / 210.0) +
                         0.1 * ((double)(bits >> 32 & 65535U) / 65536.0 - 0.5);
        put(record, (uint32_t)(int32_t)(x * 1000.0), 4);
        put(record + 4, (uint32_t)(int32_t)(fmin(y, SIDE - 0.001) * 1000.0), 4);
        put(record + 8, (uint32_t)(int32_t)(z * 1000.0), 4);
        record[14] = 9;
        fwrite(record, 1, sizeof record, stream);
    }
    return fclose(stream) == 0;
}

typedef struct {
    double seconds, cpu_seconds;
    double peak_mb;
    int status;
} outcome;

static outcome run(char *const *arguments, const char *folder) {
    struct timespec start, end;
    struct rusage usage;
    outcome found = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0) {
            execv(arguments[0], arguments);
        }
        _exit(127);
    }
    wait4(child, &found.status, 0, &usage);
    clock_gettime(CLOCK_MONOTONIC, &end);
    found.seconds =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    found.cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    found.peak_mb = (double)usage.ru_maxrss / 1024.0;
    return found;
}

static void write_site(const char *folder) {
    char path[1024];
    snprintf(path, sizeof path, "%s/site.ini", folder);
    FILE *site = fopen(path, "w");
    fprintf(
        site,
        "[site]\nbefore = cloud.las\ncrs = EPSG:5490+5756\n[ingest]\ncell_m = 1\nground = none\n"
        "source = source.geojson\nplane_dip_deg = 10\nplane_dip_direction_deg = 90\n"
        "plane_depth_m = 5\n");
    fclose(site);
    snprintf(path, sizeof path, "%s/source.geojson", folder);
    site = fopen(path, "w");
    fprintf(site,
            "{\"type\": \"FeatureCollection\", \"crs\": {\"type\": \"name\", "
            "\"properties\": {\"name\": \"EPSG:5490\"}}, \"features\": [{\"type\": "
            "\"Feature\", \"properties\": {}, \"geometry\": {\"type\": \"Polygon\", "
            "\"coordinates\": [[[694000, 1639000], [694100, 1639000], [694100, 1639100], [694000, "
            "1639000]]]}}]}\n");
    fclose(site);
}

// ---- Binning alone, in a process of its own ----------------------------------------------------

static tal_status write_band(const char *name, const tal_grid *grid, float *value, tal_error *err) {
    tal_raster raster = {.grid = *grid, .value = value};
    const tal_raster_notes notes = {.description = name};
    raster.grid.west += 694000.0;
    raster.grid.north += 1639000.0;
    return tal_raster_write(name, &raster, &notes, TAL_REPLACE, err);
}

static tal_status bin_cloud(const tal_settings *settings, tal_error *err) {
    tal_survey_reader survey;
    tal_site_crs study;
    tal_gridding gridding;
    tal_dem dem;
    tal_grid grid;
    tal_survey_reader *const surveys[1] = {&survey};
    const tal_rigid upright = tal_rigid_identity();
    tal_gdal_init();
    TAL_TRY(tal_survey_open(&survey, "before", settings, settings->site.before, err));
    TAL_TRY(tal_site_crs_settle(&study, &settings->site, "", surveys, 1, err));
    TAL_TRY(tal_survey_place(&survey, &study, &settings->site, "", 0, err));
    TAL_TRY(tal_survey_scan(&survey, ".", err));
    TAL_TRY(tal_grid_fit(&grid, survey.bounds, 1.0, err));
    study.origin = (tal_origin){694000, 1639000, 0};
    grid.west -= 694000.0;
    grid.north -= 1639000.0;
    TAL_TRY(tal_gridding_create(&gridding, &survey, study.origin, &upright, &grid, TAL_GROUND_NONE,
                                8.0, INFINITY, err));
    TAL_TRY(tal_gridding_make_dem(&gridding, NULL, 0.0, &dem, err));
    TAL_TRY(write_band("mean.tif", &grid, dem.z, err));
    TAL_TRY(write_band("count.tif", &grid, dem.count, err));
    return write_band("stdev.tif", &grid, dem.deviation, err);
}

static int bin_only(void) {
    static tal_settings settings;
    static tal_error err;
    tal_settings_init(&settings);
    tal_progress_set_mode(TAL_PROGRESS_NONE);
    tal_settings_set(&settings, "site", "before", "cloud.las", "bench", &err);
    tal_settings_set(&settings, "site", "crs", "EPSG:5490+5756", "bench", &err);
    if (bin_cloud(&settings, &err) != TAL_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return 0;
}

static void tell(const char *name, const outcome *o, double millions) {
    printf("%-16s %6.1f s, %6.1f s of processor, %6.2f million points/s, %4.0f MB\n", name,
           o->seconds, o->cpu_seconds, millions / o->seconds, o->peak_mb);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--bin-only") == 0) {
        return bin_only();
    }
    const char *bin = getenv("TALUS_BIN"), *pdal = getenv("TALUS_PDAL");
    const char *folder = argc > 1 ? argv[1] : ".";
    const double millions = argc > 2 ? atof(argv[2]) : 50.0;
    char cloud[1024], ingest[1024], self[1024] = "";
    if (bin == NULL || pdal == NULL) {
        printf("SKIPPED: TALUS_BIN and TALUS_PDAL name the programs\n");
        return 0;
    }
    snprintf(cloud, sizeof cloud, "%s/cloud.las", folder);
    snprintf(ingest, sizeof ingest, "%s/talus-ingest", bin);
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0 ||
        (access(cloud, R_OK) != 0 && !write_cloud(cloud, (uint64_t)(millions * 1e6)))) {
        return 1;
    }
    write_site(folder);
    char *bin_only_arguments[] = {self, "--bin-only", NULL};
    char *ours[] = {ingest,       "site.ini", "--out", "out", "--overwrite",
                    "--progress", "none",     "-q",    NULL};
    char *theirs[] = {(char *)(uintptr_t)pdal,
                      "translate",
                      "cloud.las",
                      "pdal.tif",
                      "--writer",
                      "writers.gdal",
                      "--writers.gdal.resolution=1",
                      "--writers.gdal.output_type=mean,count,stdev",
                      "--writers.gdal.bounds=([693000,695000],[1638000,1640000])",
                      NULL};
    const outcome a = run(bin_only_arguments, folder), b = run(theirs, folder),
                  c = run(ours, folder);
    if (a.status != 0 || b.status != 0 || c.status != 0) {
        printf("failed: binning %d, pdal %d, talus-ingest %d\n", a.status, b.status, c.status);
        return 1;
    }
    printf("%.0f million points on %d by %d cells\n", millions, SIDE, SIDE);
    tell("binning", &a, millions);
    tell("pdal translate", &b, millions);
    tell("talus-ingest", &c, millions);
    printf(
        "binning is %.2f times as fast as pdal (%.2f by processor time); all of talus-ingest %.2f "
        "(%.2f)\n",
        b.seconds / a.seconds, b.cpu_seconds / a.cpu_seconds, b.seconds / c.seconds,
        b.cpu_seconds / c.cpu_seconds);
    if (argc > 3) {
        FILE *csv = fopen(argv[3], "a");
        fprintf(csv, "%g,%.2f,%.2f,%.0f,%.2f,%.2f,%.0f,%.2f,%.2f,%.0f\n", millions, a.seconds,
                a.cpu_seconds, a.peak_mb, b.seconds, b.cpu_seconds, b.peak_mb, c.seconds,
                c.cpu_seconds, c.peak_mb);
        fclose(csv);
    }
    return b.seconds / a.seconds >= 3.0 && a.peak_mb < 600.0 && c.peak_mb < 600.0 ? 0 : 1;
}
