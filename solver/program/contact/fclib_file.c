// SPDX-License-Identifier: GPL-3.0-or-later
// FCLIB, the exchange format of contact mechanics: HDF5 with the published names. Matrices are stored by
// columns (nz = -1), by rows (nz = -2) or as nz triplets. Problems of the law acd2 have four vectors more
// (kn, kt, before, bound), which other readers pass over, and an infinite mu where there is no cone.
#include "solver/program/contact/problem.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/geo/hdf5_exit.h"
#include "core/geo/hdf5_probe.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128 };

typedef struct {
    hid_t file;
    const char *path;
    const char *root; // "/fclib_local" or "/fclib_global"
    hsize_t bytes;    // of the file
} store;

// A damaged size would be filled with zeros, gigabytes of them. No packing makes more than this of a byte.
enum { UNPACKED_MAX = 1100 };

static bool exists(const store *s, const char *name) {
    char part[NAME_SIZE];
    for (const char *slash = strchr(name + 1, '/');; slash = strchr(slash + 1, '/')) {
        const size_t length = slash != NULL ? (size_t)(slash - name) : strlen(name);
        snprintf(part, sizeof part, "%.*s", (int)length, name);
        if (H5Lexists(s->file, part, H5P_DEFAULT) <= 0) {
            return false;
        }
        if (slash == NULL) {
            return true;
        }
    }
}

// Numbers, and as many as the file can hold.
static bool is_possible(const store *s, hid_t set, int64_t count, size_t size) {
    const hid_t kind = H5Dget_type(set);
    const H5T_class_t of = H5Tget_class(kind);
    const bool are_numbers = (of == H5T_INTEGER || of == H5T_FLOAT) && H5Tget_size(kind) <= 16;
    H5Tclose(kind);
    return are_numbers && count >= 0 && count < INT32_MAX &&
           (hsize_t)count <= UNPACKED_MAX * s->bytes / size;
}

// A whole data set of numbers; `kind` is how they are wanted in memory.
static tal_status read_array(const store *s, const char *name, hid_t kind, size_t size,
                             void **values, int64_t *count, tal_error *err) {
    *values = NULL;
    const hid_t set = exists(s, name) ? H5Dopen2(s->file, name, H5P_DEFAULT) : -1;
    if (set < 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s is missing", s->path, name);
    }
    const hid_t space = H5Dget_space(set);
    *count = (int64_t)H5Sget_simple_extent_npoints(space);
    *values = is_possible(s, set, *count, size) ? tal_memory_create((size_t)*count, size) : NULL;
    const bool is_read =
        *values != NULL && H5Dread(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0;
    H5Sclose(space);
    H5Dclose(set);
    if (!is_read) {
        tal_memory_destroy(*values);
        *values = NULL;
        return TAL_FAIL(err, TAL_IO, "%s: %s cannot be read", s->path, name);
    }
    return TAL_OK;
}

static tal_status read_int(const store *s, const char *folder, const char *name, int32_t *value,
                           tal_error *err) {
    char path[NAME_SIZE];
    void *values;
    int64_t count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    TAL_TRY(read_array(s, path, H5T_NATIVE_INT32, sizeof(int32_t), &values, &count, err));
    if (count >= 1) {
        *value = *(int32_t *)values;
    }
    tal_memory_destroy(values);
    return count >= 1 ? TAL_OK : TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s is empty", s->path, path);
}

// Exactly `wanted` numbers.
static tal_status read_doubles(const store *s, const char *name, int64_t wanted, double **values,
                               tal_error *err) {
    void *read;
    int64_t count;
    TAL_TRY(read_array(s, name, H5T_NATIVE_DOUBLE, sizeof(double), &read, &count, err));
    for (int64_t n = 0; n < count && count == wanted; n++) {
        if (!tal_contact_problem_takes(strrchr(name, '/') + 1, ((double *)read)[n])) {
            tal_memory_destroy(read);
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s[%lld] is not finite", s->path, name,
                            (long long)n);
        }
    }
    if (count != wanted) {
        tal_memory_destroy(read);
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s has %lld numbers, not %lld", s->path, name,
                        (long long)count, (long long)wanted);
    }
    *values = read;
    return TAL_OK;
}

// p, i and x of a stored matrix as triplets.
typedef struct {
    void *p, *i, *x;
    int64_t p_count, i_count, x_count;
    int32_t nz;
} stored_matrix;

static bool fits(const int32_t *row, const int32_t *column, int64_t count, const tal_triplets *t) {
    for (int64_t n = 0; n < count; n++) {
        if (row[n] < 0 || row[n] >= t->row_count || column[n] < 0 || column[n] >= t->column_count) {
            return false;
        }
    }
    return true;
}

// Of triplets, i are rows and p columns, as in the files that there are; the published header has it
// the other way round, which is taken where only that fits.
static tal_status spread(const store *s, const char *folder, const stored_matrix *m,
                         tal_triplets *t, tal_error *err) {
    const int32_t lines = m->nz == -2 ? t->row_count : t->column_count;
    const int32_t *p = m->p, *i = m->i;
    const bool is_triplets = m->nz >= 0;
    const int64_t count = is_triplets ? m->nz : m->p_count == lines + 1 ? p[lines] : -1;
    if (count < 0 || count > m->i_count || count > m->x_count ||
        (is_triplets && count > m->p_count)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s: p, i, x and nz = %d do not fit together",
                        s->path, folder, m->nz);
    }
    for (int32_t line = 0; !is_triplets && line < lines; line++) {
        if (p[0] != 0 || p[line] > p[line + 1]) {
            return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s/p must increase from 0; p[%d] = %d",
                            s->path, folder, line + 1, p[line + 1]);
        }
    }
    TAL_TRY(tal_triplets_create(t, count, err));
    memcpy(t->value, m->x, (size_t)count * sizeof *t->value);
    const bool swapped = is_triplets && !fits(i, p, count, t) && fits(p, i, count, t);
    for (int64_t n = 0; is_triplets && n < count; n++) {
        t->row[n] = swapped ? p[n] : i[n];
        t->column[n] = swapped ? i[n] : p[n];
    }
    for (int32_t line = 0; !is_triplets && line < lines; line++) {
        for (int64_t n = p[line]; n < p[line + 1]; n++) {
            t->row[n] = m->nz == -2 ? line : i[n];
            t->column[n] = m->nz == -2 ? i[n] : line;
        }
    }
    return TAL_OK;
}

static tal_status read_matrix(const store *s, const char *letter, tal_triplets *t, tal_error *err) {
    char folder[NAME_SIZE], name[NAME_SIZE + 8];
    stored_matrix m = {0};
    tal_status status;
    snprintf(folder, sizeof folder, "%s/%s", s->root, letter);
    TAL_TRY(read_int(s, folder, "m", &t->row_count, err));
    TAL_TRY(read_int(s, folder, "n", &t->column_count, err));
    TAL_TRY(read_int(s, folder, "nz", &m.nz, err));
    if (t->row_count < 0 || t->column_count < 0 || t->row_count == INT32_MAX ||
        t->column_count == INT32_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: %s of m = %d rows and n = %d columns cannot be",
                        s->path, folder, t->row_count, t->column_count);
    }
    snprintf(name, sizeof name, "%s/p", folder);
    TAL_TRY_OR_DONE(read_array(s, name, H5T_NATIVE_INT32, sizeof(int32_t), &m.p, &m.p_count, err));
    snprintf(name, sizeof name, "%s/i", folder);
    TAL_TRY_OR_DONE(read_array(s, name, H5T_NATIVE_INT32, sizeof(int32_t), &m.i, &m.i_count, err));
    snprintf(name, sizeof name, "%s/x", folder);
    TAL_TRY_OR_DONE(read_array(s, name, H5T_NATIVE_DOUBLE, sizeof(double), &m.x, &m.x_count, err));
    status = spread(s, folder, &m, t, err);
done:
    tal_memory_destroy(m.p);
    tal_memory_destroy(m.i);
    tal_memory_destroy(m.x);
    return status;
}

static tal_status read_vector(const store *s, const char *letter, int64_t count, double **values,
                              tal_error *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s/vectors/%s", s->root, letter);
    return read_doubles(s, name, count, values, err);
}

// A vector of contacts, lifted to three numbers each.
static tal_status read_contacts(const store *s, const tal_contact_problem *p, const char *name,
                                double **values, tal_error *err) {
    double *flat;
    TAL_TRY(read_doubles(s, name, (int64_t)p->dimension * p->contact_count, &flat, err));
    if (p->dimension == 3) {
        *values = flat;
        return TAL_OK;
    }
    *values = tal_memory_create(3 * (size_t)p->contact_count, sizeof **values);
    for (int32_t k = 0; *values != NULL && k < p->contact_count; k++) {
        (*values)[3 * k] = flat[2 * k];
        (*values)[3 * k + 1] = flat[2 * k + 1];
    }
    tal_memory_destroy(flat);
    return *values != NULL ? TAL_OK : tal_memory_failed(err, name, 3 * (size_t)p->contact_count, 8);
}

static tal_status check_sizes(const store *s, tal_contact_problem *p, int32_t rows,
                              tal_error *err) {
    int32_t dimension;
    TAL_TRY(read_int(s, s->root, "spacedim", &dimension, err));
    if ((dimension != 2 && dimension != 3) || rows <= 0 || rows % dimension != 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: its %d rows are not a whole number of contacts of spacedim = %d",
                        s->path, rows, dimension);
    }
    p->dimension = dimension;
    p->contact_count = rows / dimension;
    return TAL_OK;
}

// Equations that hold besides the contacts (G, or V and R) are not known here.
static tal_status refuse_equations(const store *s, const char *letter, tal_error *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s/%s", s->root, letter);
    return exists(s, name)
               ? TAL_FAIL(err, TAL_UNAVAILABLE,
                          "%s: the problem has equality constraints (%s); only contacts "
                          "are solved here",
                          s->path, letter)
               : TAL_OK;
}

static tal_status read_local(const store *s, tal_contact_problem *p, tal_error *err) {
    TAL_TRY(refuse_equations(s, "V", err));
    TAL_TRY(read_matrix(s, "W", &p->w, err));
    if (p->w.row_count != p->w.column_count) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: W is %d by %d, not square", s->path,
                        p->w.row_count, p->w.column_count);
    }
    TAL_TRY(check_sizes(s, p, p->w.row_count, err));
    return read_contacts(s, p, "/fclib_local/vectors/q", &p->q, err);
}

static tal_status read_global(const store *s, tal_contact_problem *p, tal_error *err) {
    TAL_TRY(refuse_equations(s, "G", err));
    TAL_TRY(read_matrix(s, "M", &p->mass, err));
    TAL_TRY(read_matrix(s, "H", &p->h, err));
    if (p->mass.row_count != p->mass.column_count || p->h.row_count != p->mass.row_count) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s: M is %d by %d and H %d by %d", s->path,
                        p->mass.row_count, p->mass.column_count, p->h.row_count, p->h.column_count);
    }
    p->is_global = true;
    p->motion_count = p->mass.row_count;
    TAL_TRY(check_sizes(s, p, p->h.column_count, err));
    TAL_TRY(read_vector(s, "f", p->motion_count, &p->f, err));
    return read_contacts(s, p, "/fclib_global/vectors/w", &p->q, err);
}

// A file that has kn is one of the law acd2.
static tal_status read_acd2(const store *s, tal_contact_problem *p, tal_error *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s/vectors/kn", s->root);
    p->is_acd2 = p->has_cones = exists(s, name);
    if (!p->is_acd2) {
        return TAL_OK;
    }
    TAL_TRY(read_vector(s, "kn", p->contact_count, &p->acd2.kn, err));
    TAL_TRY(read_vector(s, "kt", p->contact_count, &p->acd2.kt, err));
    TAL_TRY(read_vector(s, "bound", p->contact_count, &p->acd2.bound, err));
    snprintf(name, sizeof name, "%s/vectors/before", s->root);
    return read_contacts(s, p, name, &p->acd2.before, err);
}

static tal_status read_store(store *s, tal_contact_problem *p, tal_error *err) {
    if (exists(s, "/fclib_local")) {
        s->root = "/fclib_local";
        TAL_TRY(read_local(s, p, err));
    } else if (exists(s, "/fclib_global")) {
        s->root = "/fclib_global";
        TAL_TRY(read_global(s, p, err));
    } else {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: neither fclib_local nor fclib_global is in it: not an FCLIB file "
                        "(problems with rolling friction are not supported)",
                        s->path);
    }
    TAL_TRY(read_vector(s, "mu", p->contact_count, &p->friction, err));
    TAL_TRY(read_acd2(s, p, err));
    return exists(s, "/guesses/1/r") ? read_contacts(s, p, "/guesses/1/r", &p->guess, err) : TAL_OK;
}

static tal_status read_file(tal_contact_problem *p, const char *path, tal_error *err) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // what fails is said by us
    store s = {.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), .path = path};
    if (s.file < 0) {
        return TAL_FAIL(err, TAL_IO, "%s: HDF5 cannot open it; is it complete?", path);
    }
    (void)H5Fget_filesize(s.file, &s.bytes);
    const tal_status status = read_store(&s, p, err);
    H5Fclose(s.file);
    return status;
}

static int try_file(const char *path) {
    tal_contact_problem p = {0};
    const tal_status status = read_file(&p, path, NULL);
    tal_contact_problem_destroy(&p);
    return status != TAL_OK;
}

tal_status tal_fclib_read(tal_contact_problem *p, const char *path, tal_error *err) {
    int code = 0;
    tal_hdf5_init();
    TAL_TRY(tal_hdf5_probe(path, try_file, &code, err));
    return code < 0 ? tal_hdf5_crashes(path, err) : read_file(p, path, err);
}

// Writing: the first failure is kept, so that the writes need no checking one by one.
typedef struct {
    hid_t file;
    bool failed;
} sink;

static void make_group(sink *k, const char *name) {
    const hid_t group = H5Gcreate2(k->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    k->failed = k->failed || group < 0 || H5Gclose(group) < 0;
}

static void put(sink *k, const char *folder, const char *name, hid_t kind, int64_t count,
                const void *values) {
    char path[NAME_SIZE];
    const hsize_t size = (hsize_t)count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(k->file, path, kind, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    k->failed = k->failed || set < 0 ||
                (count > 0 && H5Dwrite(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0);
    if (set >= 0) {
        k->failed = H5Dclose(set) < 0 || k->failed;
    }
    H5Sclose(space);
}

static void put_int(sink *k, const char *folder, const char *name, int32_t value) {
    put(k, folder, name, H5T_NATIVE_INT32, 1, &value);
}

static void put_doubles(sink *k, const char *folder, const char *name, int64_t count,
                        const double *values) {
    put(k, folder, name, H5T_NATIVE_DOUBLE, count, values);
}

static void put_text(sink *k, const char *folder, const char *name, const char *text) {
    char path[NAME_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t kind = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(kind, strlen(text) + 1);
    const hid_t set = H5Dcreate2(k->file, path, kind, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    k->failed =
        k->failed || set < 0 || H5Dwrite(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
    if (set >= 0) {
        k->failed = H5Dclose(set) < 0 || k->failed;
    }
    H5Tclose(kind);
    H5Sclose(space);
}

// Sorted by columns, in the order of the triplets within a column.
typedef struct {
    int32_t *start, *row;
    double *value;
} columns;

static tal_status columns_create(columns *c, const tal_triplets *t, tal_error *err) {
    TAL_CREATE(c->start, (size_t)t->column_count + 2, "columns", err);
    TAL_CREATE(c->row, (size_t)t->count, "rows", err);
    TAL_CREATE(c->value, (size_t)t->count, "values", err);
    for (int64_t n = 0; n < t->count; n++) {
        c->start[t->column[n] + 2]++;
    }
    for (int32_t j = 0; j < t->column_count; j++) {
        c->start[j + 2] += c->start[j + 1];
    }
    for (int64_t n = 0; n < t->count; n++) { // start[j + 1] moves from the start of j to its end
        const int32_t place = c->start[t->column[n] + 1]++;
        c->row[place] = t->row[n];
        c->value[place] = t->value[n];
    }
    return TAL_OK;
}

// By columns: of the three forms the one that the published library's merit functions take.
static tal_status put_matrix(sink *k, const char *folder, const tal_triplets *t, tal_error *err) {
    columns c = {0};
    const tal_status status = columns_create(&c, t, err);
    if (status == TAL_OK) {
        make_group(k, folder);
        put_int(k, folder, "nzmax", (int32_t)t->count);
        put_int(k, folder, "m", t->row_count);
        put_int(k, folder, "n", t->column_count);
        put_int(k, folder, "nz", -1);
        put(k, folder, "p", H5T_NATIVE_INT32, t->column_count + 1, c.start);
        put(k, folder, "i", H5T_NATIVE_INT32, t->count, c.row);
        put_doubles(k, folder, "x", t->count, c.value);
    }
    tal_memory_destroy(c.start);
    tal_memory_destroy(c.row);
    tal_memory_destroy(c.value);
    return status;
}

// W as the solvers have it: lifted, block by block.
static tal_status put_blocks(sink *k, const char *folder, const tal_local_input *in,
                             tal_error *err) {
    tal_triplets t = {.row_count = 3 * in->contact_count, .column_count = 3 * in->contact_count};
    tal_status status = tal_triplets_create(&t, 9 * (int64_t)in->block_count, err);
    for (int64_t n = 0; status == TAL_OK && n < t.count; n++) {
        t.row[n] = 3 * in->row[n / 9] + (int32_t)(n % 9 / 3);
        t.column[n] = 3 * in->column[n / 9] + (int32_t)(n % 3);
        t.value[n] = in->block[n];
    }
    if (status == TAL_OK) {
        status = put_matrix(k, folder, &t, err);
    }
    tal_triplets_destroy(&t);
    return status;
}

static void put_info(sink *k, const char *folder, const tal_contact_problem *p) {
    make_group(k, folder);
    put_text(k, folder, "title", p->title);
    put_text(k, folder, "description", "written by talus");
    put_text(k, folder, "math_info", "");
}

static tal_status put_acd2(sink *k, const char *folder, const tal_contact_problem *p,
                           tal_error *err) {
    const int32_t count = p->contact_count;
    double *none;
    TAL_CREATE(none, (size_t)count, "bounds", err);
    put_doubles(k, folder, "kn", count, p->acd2.kn);
    put_doubles(k, folder, "kt", count, p->acd2.kt);
    put_doubles(k, folder, "before", 3 * (int64_t)count, p->acd2.before);
    put_doubles(k, folder, "bound", count, p->acd2.bound != NULL ? p->acd2.bound : none);
    tal_memory_destroy(none);
    return TAL_OK;
}

static tal_status put_problem(sink *k, const tal_contact_problem *p, tal_error *err) {
    const int32_t rows = 3 * p->contact_count;
    const char *vectors = p->is_global ? "/fclib_global/vectors" : "/fclib_local/vectors";
    make_group(k, p->is_global ? "/fclib_global" : "/fclib_local");
    put_int(k, p->is_global ? "/fclib_global" : "/fclib_local", "spacedim", 3);
    put_info(k, p->is_global ? "/fclib_global/info" : "/fclib_local/info", p);
    if (p->is_global) {
        TAL_TRY(put_matrix(k, "/fclib_global/M", &p->mass, err));
        TAL_TRY(put_matrix(k, "/fclib_global/H", &p->h, err));
    } else {
        TAL_TRY(put_blocks(k, "/fclib_local/W", &p->input, err));
    }
    make_group(k, vectors);
    put_doubles(k, vectors, "mu", p->contact_count, p->friction);
    put_doubles(k, vectors, p->is_global ? "w" : "q", rows, p->q);
    if (p->is_global) {
        put_doubles(k, vectors, "f", p->motion_count, p->f);
    }
    return p->is_acd2 ? put_acd2(k, vectors, p, err) : TAL_OK;
}

static tal_status put_solution(sink *k, const tal_contact_problem *p, const double *r,
                               tal_error *err) {
    const int32_t rows = 3 * p->contact_count;
    double *u, *v;
    TAL_CREATE(u, (size_t)rows, "velocities", err);
    v = tal_memory_create((size_t)p->motion_count, sizeof *v);
    if (v != NULL) {
        make_group(k, "/solution");
        tal_contact_problem_velocity(p, r, u);
        put_doubles(k, "/solution", "u", rows, u);
        put_doubles(k, "/solution", "r", rows, r);
        if (p->is_global) {
            tal_contact_problem_motion(p, r, v);
            put_doubles(k, "/solution", "v", p->motion_count, v);
        }
    }
    tal_memory_destroy(u);
    tal_memory_destroy(v);
    return v != NULL ? TAL_OK : tal_memory_failed(err, "motion", (size_t)p->motion_count, 8);
}

static void put_guess(sink *k, const tal_contact_problem *p) {
    make_group(k, "/guesses");
    put_int(k, "/guesses", "number_of_guesses", 1);
    make_group(k, "/guesses/1");
    put_doubles(k, "/guesses/1", "r", 3 * (int64_t)p->contact_count, p->guess);
}

tal_status tal_fclib_write(const tal_contact_problem *p, const double *r, const char *path,
                           tal_error *err) {
    char part[TAL_PATH_SIZE];
    tal_hdf5_init();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    TAL_TRY(tal_part_begin(path, TAL_REPLACE, part, err));
    sink k = {.file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    tal_status status = TAL_OK;
    if (k.file >= 0) {
        status = put_problem(&k, p, err);
        if (status == TAL_OK && p->guess != NULL) {
            put_guess(&k, p);
        }
        if (status == TAL_OK && r != NULL) {
            status = put_solution(&k, p, r, err);
        }
        k.failed = H5Fclose(k.file) < 0 || k.failed;
    }
    if (status == TAL_OK && (k.file < 0 || k.failed)) {
        status = TAL_FAIL(err, TAL_IO, "%s: HDF5 cannot write it; is there room?", path);
    }
    if (status != TAL_OK) {
        tal_part_discard(path);
        return status;
    }
    return tal_part_commit(path, err);
}
