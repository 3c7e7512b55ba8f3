// SPDX-License-Identifier: GPL-3.0-or-later
// A state and its model as one object, and views of its arrays. Views keep the state alive, so an array
// outlives the scene it came from. While one thread steps, the others are refused.
#include "python/module/module.h"

#include <string.h>
#include <time.h>

enum { HISTORIES_MAX = 64 };

typedef struct {
    PyObject ob_base;
    const talus_module *module;
    tal_model *model;
    tal_state *state;
    tal_report report;
    tal_error err;
    int64_t step;
    bool is_busy;   // being stepped, without the lock of the interpreter
    bool is_broken; // a step failed half way
    int history_count;
    tal_history *history[HISTORIES_MAX];
    int64_t history_every[HISTORIES_MAX];
} state_object;

typedef struct {
    PyObject ob_base;
    PyObject *owner; // of the memory; NULL: the view itself
    void *data;
    Py_ssize_t size;
} view_object;

// --- views ---

static int view_get(PyObject *self, Py_buffer *buffer, int flags) {
    view_object *v = (view_object *)self;
    return PyBuffer_FillInfo(buffer, self, v->data, v->size, 1, flags);
}

static void view_dealloc(PyObject *self) {
    view_object *v = (view_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (v->owner == NULL) {
        PyMem_Free(v->data);
    }
    Py_XDECREF(v->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, view_dealloc}, {Py_bf_getbuffer, view_get}, {0, NULL}};
PyType_Spec talus_view_spec = {.name = "talus._talus.View",
                               .basicsize = sizeof(view_object),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = view_slots};

// Takes over `data` where it has no owner.
static PyObject *view_create(const state_object *s, PyObject *owner, void *data, size_t size) {
    view_object *v = PyObject_New(view_object, s->module->view_type);
    if (v == NULL) {
        if (owner == NULL) {
            PyMem_Free(data);
        }
        return NULL;
    }
    Py_XINCREF(owner);
    v->owner = owner;
    v->data = data;
    v->size = (Py_ssize_t)size;
    return (PyObject *)v;
}

// --- states ---

static bool is_free(const state_object *s) {
    if (s->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is stepping this scene: wait for it");
    }
    return !s->is_busy;
}

static bool is_body(const state_object *s, int number) {
    const int32_t count = tal_model_body_count(s->model);
    if (number < 0 || number >= count) {
        PyErr_Format(PyExc_IndexError, "there is no body %d: bodies are numbered 0 to %d", number,
                     count - 1);
        return false;
    }
    return true;
}

static void state_dealloc(PyObject *self) {
    state_object *s = (state_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int n = 0; n < s->history_count; n++) {
        tal_history_destroy(s->history[n]);
    }
    tal_state_destroy(s->state);
    tal_model_destroy(s->model);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *talus_state_create(PyObject *module, PyObject *arguments) {
    const talus_module *m = talus_module_of(module);
    PyObject *dictionary;
    int threads;
    if (!PyArg_ParseTuple(arguments, "O!i:create", &PyDict_Type, &dictionary, &threads)) {
        return NULL;
    }
    talus_arrays *arrays = PyMem_Malloc(sizeof *arrays);
    state_object *s = arrays != NULL ? PyObject_New(state_object, m->state_type) : NULL;
    if (s == NULL) {
        PyMem_Free(arrays);
        return PyErr_NoMemory();
    }
    memset((char *)s + sizeof s->ob_base, 0, sizeof *s - sizeof s->ob_base);
    s->module = m;
    if (talus_arrays_read(arrays, dictionary)) {
        tal_status status = tal_model_create(&s->model, &arrays->input, &s->err);
        status =
            status == TAL_OK ? tal_state_create(&s->state, s->model, threads, &s->err) : status;
        if (status != TAL_OK) {
            talus_raise(m, status, &s->err);
        }
    }
    talus_arrays_release(arrays);
    PyMem_Free(arrays);
    if (PyErr_Occurred()) {
        Py_DECREF((PyObject *)s);
        return NULL;
    }
    return (PyObject *)s;
}

static tal_status record(state_object *s) {
    for (int n = 0; n < s->history_count; n++) {
        if (s->step % s->history_every[n] == 0) {
            TAL_TRY(tal_history_record(s->history[n], s->model, s->state, &s->err));
        }
    }
    return TAL_OK;
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Steps until `end` or for a twentieth of a second, without the lock.
static tal_status step_a_while(state_object *s, int64_t end) {
    const double until = seconds() + 0.05;
    tal_status status = TAL_OK;
    while (status == TAL_OK && s->step < end && seconds() < until) {
        status = tal_step(s->model, s->state, &s->report, &s->err);
        s->is_broken = status != TAL_OK;
        s->step += status == TAL_OK;
        status = status == TAL_OK ? record(s) : status;
    }
    return status;
}

static PyObject *state_step(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    long long count;
    if (!PyArg_ParseTuple(arguments, "L:step", &count) || !is_free(s)) {
        return NULL;
    }
    if (s->is_broken) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a step of this scene has failed: go on from a checkpoint");
        return NULL;
    }
    if (count < 0 || count > INT64_MAX / 2) {
        PyErr_SetString(PyExc_ValueError, "the number of steps must not be negative");
        return NULL;
    }
    const int64_t end = s->step + count;
    while (s->step < end) {
        s->is_busy = true;
        PyThreadState *thread = PyEval_SaveThread();
        const tal_status status = step_a_while(s, end);
        PyEval_RestoreThread(thread);
        s->is_busy = false;
        if (status != TAL_OK) {
            return talus_raise(s->module, status, &s->err);
        }
        if (PyErr_CheckSignals() != 0) {
            return NULL;
        }
    }
    return Py_NewRef(Py_None);
}

static PyObject *state_array(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "s:array", &name) || !is_free(s)) {
        return NULL;
    }
    const size_t count = (size_t)tal_model_body_count(s->model);
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } known[] = {{"position", tal_state_positions(s->state), count * sizeof(tal_vec3)},
                 {"orientation", tal_state_orientations(s->state), count * sizeof(tal_quat)},
                 {"velocity", tal_state_velocities(s->state), count * sizeof(tal_vec3)},
                 {"spin", tal_state_spins(s->state), count * sizeof(tal_vec3)},
                 {"report", &s->report, sizeof s->report}};
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        if (strcmp(known[n].name, name) == 0) {
            return view_create(s, self, (void *)(uintptr_t)known[n].data, known[n].size);
        }
    }
    return PyErr_Format(PyExc_KeyError, "%s", name);
}

static PyObject *state_contacts(PyObject *self, PyObject *unused) {
    state_object *s = (state_object *)self;
    (void)unused;
    if (!is_free(s)) {
        return NULL;
    }
    const int32_t count = tal_state_contacts(s->state, NULL, 0);
    const size_t size = (size_t)count * sizeof(tal_contact_record);
    tal_contact_record *contact = PyMem_Malloc(size + 1);
    if (contact == NULL) {
        return PyErr_NoMemory();
    }
    tal_state_contacts(s->state, contact, count);
    return view_create(s, NULL, contact, size);
}

static PyObject *state_time(PyObject *self, PyObject *unused) {
    (void)unused;
    state_object *s = (state_object *)self;
    return is_free(s) ? PyFloat_FromDouble(tal_state_time(s->state)) : NULL;
}

static PyObject *state_hash(PyObject *self, PyObject *unused) {
    (void)unused;
    state_object *s = (state_object *)self;
    return is_free(s) ? PyLong_FromUnsignedLongLong(tal_state_hash(s->state)) : NULL;
}

static PyObject *state_file(PyObject *self, PyObject *arguments, bool writes) {
    state_object *s = (state_object *)self;
    const char *path;
    if (!PyArg_ParseTuple(arguments, "s", &path) || !is_free(s)) {
        return NULL;
    }
    const uint64_t before = tal_state_hash(s->state);
    const tal_status status = writes ? tal_checkpoint_write(s->model, s->state, path, &s->err)
                                     : tal_checkpoint_read(s->model, s->state, path, &s->err);
    if (status != TAL_OK) { // a file refused by its head has changed nothing
        s->is_broken = s->is_broken || tal_state_hash(s->state) != before;
        return talus_raise(s->module, status, &s->err);
    }
    s->is_broken = s->is_broken && writes;
    return Py_NewRef(Py_None);
}

static PyObject *state_write(PyObject *self, PyObject *arguments) {
    return state_file(self, arguments, true);
}

static PyObject *state_read(PyObject *self, PyObject *arguments) {
    return state_file(self, arguments, false);
}

static PyObject *state_set_law(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int i, j, kind, in_kg;
    const char *bytes;
    Py_ssize_t size;
    double number[TALUS_LAW_FIELDS];
    if (!PyArg_ParseTuple(arguments, "iiipy#:set_law", &i, &j, &kind, &in_kg, &bytes, &size) ||
        !is_free(s)) {
        return NULL;
    }
    if (size != (Py_ssize_t)sizeof number) {
        PyErr_SetString(PyExc_ValueError, "the law has the wrong number of numbers");
        return NULL;
    }
    memcpy(number, bytes, sizeof number);
    const tal_law law = talus_law_make(kind, in_kg != 0, number);
    const tal_status status = tal_model_set_law(s->model, i, j, &law, &s->err);
    if (status != TAL_OK) {
        return talus_raise(s->module, status, &s->err);
    }
    tal_state_wake(s->state);
    return Py_NewRef(Py_None);
}

static PyObject *state_remove(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int body;
    if (!PyArg_ParseTuple(arguments, "i:remove", &body) || !is_free(s) || !is_body(s, body)) {
        return NULL;
    }
    tal_state_remove_body(s->state, body);
    return Py_NewRef(Py_None);
}

static PyObject *state_energy(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int body;
    if (!PyArg_ParseTuple(arguments, "i:energy", &body) || !is_free(s) || !is_body(s, body)) {
        return NULL;
    }
    const tal_body_energy e = tal_state_body_energy(s->model, s->state, body);
    return Py_BuildValue("(ddd)", e.kinetic_translation_j, e.kinetic_rotation_j, e.potential_j);
}

static PyObject *state_point(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int body;
    tal_vec3 p;
    if (!PyArg_ParseTuple(arguments, "i(ddd):point", &body, &p.x, &p.y, &p.z) || !is_free(s) ||
        !is_body(s, body)) {
        return NULL;
    }
    const tal_vec3 x = tal_state_point_m(s->state, body, p);
    const tal_vec3 v = tal_state_point_velocity_mps(s->state, body, p);
    return Py_BuildValue("((ddd)(ddd))", x.x, x.y, x.z, v.x, v.y, v.z);
}

static PyObject *state_nodes(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int body;
    if (!PyArg_ParseTuple(arguments, "i:nodes", &body) || !is_free(s) || !is_body(s, body)) {
        return NULL;
    }
    const int32_t count = tal_model_node_count(s->model, body);
    tal_vec3 *place = PyMem_Calloc((size_t)count + 1, sizeof *place);
    if (place == NULL) {
        return PyErr_NoMemory();
    }
    for (int32_t n = 0; n < count; n++) {
        place[n] = tal_state_node_position(s->model, s->state, body, n);
    }
    return view_create(s, NULL, place, (size_t)count * sizeof *place);
}

static PyObject *state_stresses(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int body;
    if (!PyArg_ParseTuple(arguments, "i:stresses", &body) || !is_free(s) || !is_body(s, body)) {
        return NULL;
    }
    const int32_t count = tal_model_element_count(s->model, body);
    tal_stress *stress = PyMem_Calloc((size_t)count + 1, sizeof *stress);
    if (stress == NULL) {
        return PyErr_NoMemory();
    }
    for (int32_t e = 0; e < count; e++) {
        stress[e] = tal_state_element_stress(s->model, s->state, body, e);
    }
    return view_create(s, NULL, stress, (size_t)count * sizeof *stress);
}

static PyObject *state_transit(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int body;
    if (!PyArg_ParseTuple(arguments, "i:transit", &body) || !is_free(s) || !is_body(s, body)) {
        return NULL;
    }
    return PyFloat_FromDouble(tal_model_transit_s(s->model, body));
}

static PyObject *state_reaction(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int number;
    if (!PyArg_ParseTuple(arguments, "i:reaction", &number) || !is_free(s)) {
        return NULL;
    }
    if (number < 0 || number >= tal_model_constraint_count(s->model)) {
        return PyErr_Format(PyExc_IndexError, "there is no constraint %d", number);
    }
    const tal_vec3 r = tal_state_reaction_n(s->state, number);
    return Py_BuildValue("(ddd)", r.x, r.y, r.z);
}

// Channels are tuples (kind, number, axis, x, y, z).
static bool read_channels(PyObject *list, tal_channel *channel, Py_ssize_t count) {
    for (Py_ssize_t n = 0; n < count; n++) {
        int kind;
        tal_channel *c = &channel[n];
        PyObject *item = PyList_GetItem(list, n);
        if (item == NULL || !PyTuple_Check(item)) {
            PyErr_SetString(PyExc_TypeError, "a channel is a tuple");
            return false;
        }
        if (!PyArg_ParseTuple(item, "iiiddd", &kind, &c->number, &c->axis, &c->point_m.x,
                              &c->point_m.y, &c->point_m.z)) {
            return false;
        }
        c->kind = (tal_channel_kind)kind;
    }
    return true;
}

static PyObject *state_history(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    PyObject *list;
    long long every;
    if (!PyArg_ParseTuple(arguments, "O!L:history", &PyList_Type, &list, &every) || !is_free(s)) {
        return NULL;
    }
    if (every < 1 || s->history_count == HISTORIES_MAX) {
        return PyErr_Format(
            PyExc_ValueError,
            "a history is recorded every 1 or more steps, and a scene has at most %d of them",
            HISTORIES_MAX);
    }
    const Py_ssize_t count = PyList_Size(list);
    tal_channel *channel = PyMem_Calloc((size_t)count + 1, sizeof *channel);
    if (channel == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *result = NULL;
    if (read_channels(list, channel, count)) {
        const tal_status status = tal_history_create(&s->history[s->history_count], s->model,
                                                     channel, (int32_t)count, &s->err);
        if (status != TAL_OK) {
            talus_raise(s->module, status, &s->err);
        } else {
            s->history_every[s->history_count] = every;
            result = PyLong_FromLong(s->history_count++);
        }
    }
    PyMem_Free(channel);
    return result;
}

static PyObject *state_rows(PyObject *self, PyObject *arguments) {
    state_object *s = (state_object *)self;
    int number, width;
    if (!PyArg_ParseTuple(arguments, "ii:rows", &number, &width) || !is_free(s)) {
        return NULL;
    }
    if (number < 0 || number >= s->history_count || width < 1) {
        return PyErr_Format(PyExc_IndexError, "there is no history %d", number);
    }
    int64_t count;
    const double *row = tal_history_rows(s->history[number], &count);
    return PyBytes_FromStringAndSize((const char *)row,
                                     (Py_ssize_t)((size_t)count * (size_t)width * sizeof *row));
}

static PyMethodDef state_methods[] = {
    {"step", state_step, METH_VARARGS, "step(n)"},
    {"array", state_array, METH_VARARGS, "array(name): a view"},
    {"contacts", state_contacts, METH_NOARGS, "the contacts of the last step: a view"},
    {"time", state_time, METH_NOARGS, "seconds"},
    {"hash", state_hash, METH_NOARGS, "a number"},
    {"write", state_write, METH_VARARGS, "write(path): a checkpoint"},
    {"read", state_read, METH_VARARGS, "read(path): a checkpoint"},
    {"set_law", state_set_law, METH_VARARGS, "another law for two classes"},
    {"remove", state_remove, METH_VARARGS, "remove(body)"},
    {"energy", state_energy, METH_VARARGS, "energy(body)"},
    {"point", state_point, METH_VARARGS, "point(body, place): place and velocity"},
    {"nodes", state_nodes, METH_VARARGS, "nodes(body): a view of a copy"},
    {"stresses", state_stresses, METH_VARARGS, "stresses(body): a view of a copy"},
    {"transit", state_transit, METH_VARARGS, "transit(body): seconds"},
    {"reaction", state_reaction, METH_VARARGS, "reaction(constraint)"},
    {"history", state_history, METH_VARARGS, "history(channels, every): its number"},
    {"rows", state_rows, METH_VARARGS, "rows(history, width): bytes"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot state_slots[] = {
    {Py_tp_dealloc, state_dealloc}, {Py_tp_methods, state_methods}, {0, NULL}};
PyType_Spec talus_state_spec = {.name = "talus._talus.State",
                                .basicsize = sizeof(state_object),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = state_slots};
