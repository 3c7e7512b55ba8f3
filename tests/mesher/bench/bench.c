// SPDX-License-Identifier: GPL-3.0-or-later
// How long the mesher takes, and how much memory: a grid of 2000 x 2000 cells; 10,000 and 100,000
// Voronoi blocks of one rock. Fails when a bar of docs/validation is missed.
#define _POSIX_C_SOURCE 200809L
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "mesher/rock/divide.h"
#include "mesher/terrain/terrain_mesh.h"
#include "tests/mesher/unit/scene.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static const double origin[3] = {700350, 1600250, 480};
static int missed_count;

static double seconds(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_mb(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void expect_below(const char *what, double value, double bar) {
    if (!(value <= bar)) {
        (void)printf("MISSED: %s is %.3g, the bar is %.3g\n", what, value, bar);
        missed_count++;
    }
}

static void must(tal_status status, const tal_error *err) {
    if (status != TAL_OK) {
        (void)fprintf(stderr, "mesher_bench: %s\n", err->text);
        exit(2);
    }
}

static void measure_terrain(void) {
    test_site site;
    tal_terrain_mesh mesh;
    tal_error err;
    test_site_make(&site, 2000, 2000, 0.5, 1);
    const double start = seconds(CLOCK_MONOTONIC);
    const tal_terrain_options options = {0.1, false, 0};
    must(tal_terrain_mesh_create(&mesh, &site.bed, &options, origin, &err), &err);
    const double wall = seconds(CLOCK_MONOTONIC) - start;
    (void)printf("terrain of 2000 x 2000 cells to 0.1 m: %d triangles, %.1f s, %.0f MB\n",
                 mesh.face_count, wall, peak_mb());
    expect_below("seconds for the terrain", wall, 30);
    expect_below("MB for the terrain", peak_mb(), 2048);
    tal_terrain_mesh_destroy(&mesh);
    test_site_destroy(&site);
}

// Processor time per block.
static double measure_blocks(const tal_rock *rock, double size) {
    tal_partition partition = {0};
    tal_block_set set = {0};
    tal_divide_report report;
    tal_error err;
    const double wall = seconds(CLOCK_MONOTONIC), work = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const tal_divide_options options = {
        .clip_to_rock = true, .density_kg_m3 = 2600, .thread_count = omp_get_max_threads()};
    must(tal_partition_voronoi(&partition, rock, rock->strike, size, tal_vec3_make(1, 1, 1), 1, 0,
                               &err),
         &err);
    must(tal_divide(&set, &partition, rock, &options, &report, &err), &err);
    const double taken = seconds(CLOCK_MONOTONIC) - wall;
    const double each = (seconds(CLOCK_PROCESS_CPUTIME_ID) - work) / set.block_count;
    (void)printf("%d Voronoi blocks fill %.2f %%: %.1f s, %.3f ms of processor time each, %.0f MB, "
                 "%lld not clean\n",
                 set.block_count, 100 * report.piece_volume / rock->volume, taken, 1e3 * each,
                 peak_mb(), (long long)report.rough_count);
    expect_below("seconds for the blocks", taken, 120);
    expect_below("MB for the blocks", peak_mb(), 2048);
    tal_block_set_destroy(&set);
    tal_partition_destroy(&partition);
    return each;
}

int main(void) {
    test_site site;
    tal_terrain_mesh terrain;
    tal_rock rock;
    tal_error err;
    tal_progress_set_mode(TAL_PROGRESS_NONE);
    measure_terrain();
    test_site_make(&site, 700, 500, 1, 1);
    const tal_terrain_options options = {0.25, false, 0};
    must(tal_terrain_mesh_create(&terrain, &site.bed, &options, origin, &err), &err);
    must(tal_rock_create(&rock, &site.bed, &site.before, &site.source, &terrain, origin, &err),
         &err);
    const double few = measure_blocks(&rock, cbrt(rock.volume / 9500));
    const double many = measure_blocks(&rock, cbrt(rock.volume / 100000));
    (void)printf("a block among 100,000 costs %.2f of one among 10,000\n", many / few);
    expect_below("cost per block, 100,000 against 10,000", many / few, 1.3);
    tal_rock_destroy(&rock);
    tal_terrain_mesh_destroy(&terrain);
    test_site_destroy(&site);
    return missed_count == 0 ? 0 : 1;
}
