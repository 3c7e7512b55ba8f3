// SPDX-License-Identifier: GPL-3.0-or-later
// A virtual scanner: each triangle is tried on the rays inside its angular extent.
#define _GNU_SOURCE // large files in GDAL's headers
#include "tests/ingest/support/scan.h"

#include "core/base/random.h"

#include <cpl_vsi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = 0.017453292519943295;

// ---- LAS ---------------------------------------------------------------------------------------

static void put_u16(uint8_t *p, unsigned value) {
    p[0] = (uint8_t)(value & 255U);
    p[1] = (uint8_t)(value >> 8 & 255U);
}

static void put_u32(uint8_t *p, uint32_t value) {
    put_u16(p, value & 65535U);
    put_u16(p + 2, value >> 16);
}

static void put_f64(uint8_t *p, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(p, (uint32_t)bits);
    put_u32(p + 4, (uint32_t)(bits >> 32));
}

static size_t write_keys(FILE *stream, int epsg, int epsg_vertical) {
    uint8_t record[54 + 2 * 16] = {0};
    const int keys = epsg_vertical != 0 ? 3 : 2;
    memcpy(record + 2, "LASF_Projection", 15);
    put_u16(record + 18, 34735);
    put_u16(record + 20, (unsigned)(8 * (keys + 1)));
    const unsigned values[16] = {1,    1, 0, (unsigned)keys, 1024, 0, 1, 1,
                                 3072, 0, 1, (unsigned)epsg, 4096, 0, 1, (unsigned)epsg_vertical};
    for (int i = 0; i < 4 * (keys + 1); i++) {
        put_u16(record + 54 + 2 * i, values[i]);
    }
    const size_t length = 54 + 8 * (size_t)(keys + 1);
    fwrite(record, 1, length, stream);
    return length;
}

int scan_write_las(const char *path, const scan_point *points, size_t count, double scale, int epsg,
                   int epsg_vertical) {
    FILE *stream = fopen(path, "wb");
    uint8_t header[227] = {0};
    if (stream == NULL) {
        return 0;
    }
    fwrite(header, 1, sizeof header, stream);
    const size_t keys = epsg != 0 ? write_keys(stream, epsg, epsg_vertical) : 0;
    const double offset[3] = {count > 0 ? floor(points[0].x) : 0.0,
                              count > 0 ? floor(points[0].y) : 0.0,
                              count > 0 ? floor(points[0].z) : 0.0};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        const double place[3] = {points[i].x, points[i].y, points[i].z};
        uint8_t record[20] = {0};
        for (int axis = 0; axis < 3; axis++) {
            put_u32(record + 4 * axis,
                    (uint32_t)(int32_t)lround((place[axis] - offset[axis]) / scale));
            low[axis] = fmin(low[axis], place[axis]);
            high[axis] = fmax(high[axis], place[axis]);
        }
        record[14] = 9; // first of one
        record[15] = points[i].point_class;
        fwrite(record, 1, sizeof record, stream);
    }
    memcpy(header, "LASF", 4);
    header[24] = 1;
    header[25] = 2;
    put_u16(header + 94, sizeof header);
    put_u32(header + 96, (uint32_t)(sizeof header + keys));
    put_u32(header + 100, epsg != 0);
    put_u16(header + 105, 20);
    put_u32(header + 107, (uint32_t)count);
    for (int axis = 0; axis < 3; axis++) {
        put_f64(header + 131 + 8 * axis, scale);
        put_f64(header + 155 + 8 * axis, offset[axis]);
        put_f64(header + 179 + 16 * axis, high[axis]);
        put_f64(header + 187 + 16 * axis, low[axis]);
    }
    rewind(stream);
    fwrite(header, 1, sizeof header, stream);
    return fclose(stream) == 0;
}

// ---- Meshes ------------------------------------------------------------------------------------

static char *read_all(const char *path) {
    VSIStatBufL info;
    if (VSIStatL(path, &info) != 0) {
        return NULL;
    }
    VSILFILE *stream = VSIFOpenL(path, "rb");
    char *text = malloc((size_t)info.st_size + 1);
    if (stream == NULL || text == NULL) {
        free(text);
        return NULL;
    }
    const size_t got = VSIFReadL(text, 1, (size_t)info.st_size, stream);
    text[got] = '\0';
    VSIFCloseL(stream);
    return text;
}

static void add_triangle(scan_mesh *mesh, const double *vertex, const int corner[3]) {
    if (mesh->count == mesh->capacity) {
        mesh->capacity = mesh->capacity == 0 ? 4096 : 2 * mesh->capacity;
        mesh->triangle = realloc(mesh->triangle, mesh->capacity * sizeof *mesh->triangle);
    }
    scan_triangle *t = &mesh->triangle[mesh->count++];
    for (int k = 0; k < 3; k++) {
        t->x[k] = vertex[3 * (corner[k] - 1)];
        t->y[k] = vertex[3 * (corner[k] - 1) + 1];
        t->z[k] = vertex[3 * (corner[k] - 1) + 2];
    }
}

static void add_face(scan_mesh *mesh, const double *vertex, char *line) {
    int corner[3] = {0}, count = 0;
    for (char *cursor = line + 1; *cursor != '\0' && *cursor != '\n';) {
        char *end;
        const long index = strtol(cursor, &end, 10);
        if (end == cursor) {
            break;
        }
        if (count < 2) {
            corner[count] = (int)index;
        } else { // a fan
            corner[1] = count > 2 ? corner[2] : corner[1];
            corner[2] = (int)index;
            add_triangle(mesh, vertex, corner);
        }
        count++;
        cursor = end + strcspn(end, " \n");
    }
}

int scan_mesh_add_obj(scan_mesh *mesh, const char *path) {
    char *text = read_all(path);
    double *vertex = NULL;
    size_t count = 0, capacity = 0;
    if (text == NULL) {
        return 0;
    }
    for (char *line = text; line != NULL && *line != '\0';) {
        if (line[0] == 'v' && line[1] == ' ') {
            if (count == capacity) {
                capacity = capacity == 0 ? 4096 : 2 * capacity;
                vertex = realloc(vertex, 3 * capacity * sizeof *vertex);
            }
            char *cursor = line + 1;
            for (int k = 0; k < 3; k++) {
                vertex[3 * count + (size_t)k] = strtod(cursor, &cursor);
            }
            count++;
        } else if (line[0] == 'f' && line[1] == ' ') {
            add_face(mesh, vertex, line);
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    free(vertex);
    free(text);
    return 1;
}

void scan_mesh_free(scan_mesh *mesh) {
    free(mesh->triangle);
    *mesh = (scan_mesh){0};
}

// ---- Scanning ----------------------------------------------------------------------------------

// Distance along the ray from the scanner, or infinity (Moeller and Trumbore 1997).
static double hit(const scan_triangle *t, const double place[3], const double ray[3]) {
    const double a[3] = {t->x[1] - t->x[0], t->y[1] - t->y[0], t->z[1] - t->z[0]};
    const double b[3] = {t->x[2] - t->x[0], t->y[2] - t->y[0], t->z[2] - t->z[0]};
    const double s[3] = {place[0] - t->x[0], place[1] - t->y[0], place[2] - t->z[0]};
    const double p[3] = {ray[1] * b[2] - ray[2] * b[1], ray[2] * b[0] - ray[0] * b[2],
                         ray[0] * b[1] - ray[1] * b[0]};
    const double determinant = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
    if (fabs(determinant) < 1e-14) {
        return INFINITY;
    }
    const double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / determinant;
    const double q[3] = {s[1] * a[2] - s[2] * a[1], s[2] * a[0] - s[0] * a[2],
                         s[0] * a[1] - s[1] * a[0]};
    const double v = (ray[0] * q[0] + ray[1] * q[1] + ray[2] * q[2]) / determinant;
    const double distance = (b[0] * q[0] + b[1] * q[1] + b[2] * q[2]) / determinant;
    return u < -1e-9 || v < -1e-9 || u + v > 1.0 + 1e-9 || distance <= 0.0 ? INFINITY : distance;
}

static void ray_at(const scan_position *p, long column, long row, double ray[3]) {
    const double azimuth = (p->azimuth_from_deg + (double)column * p->step_deg) * DEGREE;
    const double elevation = (p->elevation_from_deg + (double)row * p->step_deg) * DEGREE;
    ray[0] = sin(azimuth) * cos(elevation);
    ray[1] = cos(azimuth) * cos(elevation);
    ray[2] = sin(elevation);
}

static void scan_one(const scan_triangle *t, const scan_position *p, long columns, long rows,
                     float *range) {
    double west = INFINITY, east = -INFINITY, low = INFINITY, top = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double dx = t->x[k] - p->place[0], dy = t->y[k] - p->place[1],
                     dz = t->z[k] - p->place[2];
        const double azimuth = atan2(dx, dy) / DEGREE,
                     elevation = atan2(dz, hypot(dx, dy)) / DEGREE;
        west = fmin(west, azimuth);
        east = fmax(east, azimuth);
        low = fmin(low, elevation);
        top = fmax(top, elevation);
    }
    if (east - west > 90.0) {
        return; // behind the scanner
    }
    const double margin = 0.05; // great circles bulge beyond their ends' elevations
    const long left = (long)fmax(0.0, floor((west - p->azimuth_from_deg) / p->step_deg));
    const long right =
        (long)fmin((double)columns - 1, ceil((east - p->azimuth_from_deg) / p->step_deg));
    const long bottom =
        (long)fmax(0.0, floor((low - margin - p->elevation_from_deg) / p->step_deg));
    const long upper =
        (long)fmin((double)rows - 1, ceil((top + margin - p->elevation_from_deg) / p->step_deg));
    for (long column = left; column <= right; column++) {
        for (long row = bottom; row <= upper; row++) {
            double ray[3];
            ray_at(p, column, row, ray);
            const float distance = (float)hit(t, p->place, ray);
            float *nearest = &range[(size_t)column * (size_t)rows + (size_t)row];
            *nearest = fminf(*nearest, distance);
        }
    }
}

size_t scan_mesh_from(const scan_mesh *mesh, const scan_position *p, scan_point **points) {
    const long columns = lround((p->azimuth_to_deg - p->azimuth_from_deg) / p->step_deg) + 1;
    const long rows = lround((p->elevation_to_deg - p->elevation_from_deg) / p->step_deg) + 1;
    const size_t rays = (size_t)columns * (size_t)rows;
    const tal_random random = tal_random_stream(p->seed, 0, "tests/scan");
    float *range = malloc(rays * sizeof *range);
    *points = malloc(rays * sizeof **points);
    size_t count = 0;
    for (size_t i = 0; i < rays; i++) {
        range[i] = INFINITY;
    }
    for (size_t i = 0; i < mesh->count; i++) {
        scan_one(&mesh->triangle[i], p, columns, rows, range);
    }
    for (size_t i = 0; i < rays; i++) {
        double ray[3];
        if (isinf(range[i])) {
            continue;
        }
        ray_at(p, (long)(i / (size_t)rows), (long)(i % (size_t)rows), ray);
        const double distance =
            (double)range[i] + p->range_sigma_m * tal_random_normal(random, (uint64_t)i);
        (*points)[count++] = (scan_point){.x = p->place[0] + distance * ray[0],
                                          .y = p->place[1] + distance * ray[1],
                                          .z = p->place[2] + distance * ray[2]};
    }
    free(range);
    return count;
}
