// SPDX-License-Identifier: GPL-3.0-or-later
// The binding of the solver library: states, and arrays that belong to them. Python's stable interface
// alone, so one build serves all versions from 3.11 on.
#ifndef TALUS_PYTHON_MODULE_MODULE_H
#define TALUS_PYTHON_MODULE_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "solver/include/talus_solver.h"

#include <stddef.h>

// What the module keeps.
typedef struct {
    PyObject *error; // talus.Error
    PyTypeObject *state_type, *view_type;
} talus_module;

talus_module *talus_module_of(PyObject *module);

// Raises what the library says.
PyObject *talus_raise(const talus_module *module, tal_status status, const tal_error *err);

// The arrays of a scene, borrowed from Python as long as they are needed.
enum { TALUS_BUFFERS_MAX = 64 };
typedef struct {
    Py_buffer buffer[TALUS_BUFFERS_MAX];
    int buffer_count;
    tal_model_input input;
    void *made[8]; // arrays of structs put together here
    int made_count;
} talus_arrays;

// Fills arrays->input from a dictionary; false: an exception is set. To be released in either case.
bool talus_arrays_read(talus_arrays *arrays, PyObject *dictionary);
void talus_arrays_release(talus_arrays *arrays);

// fill(arrays, element_m): nodes and tetrahedra that fill the one shape of a dictionary, as bytes.
PyObject *talus_fill(PyObject *module, PyObject *arguments);

// The numbers of a law by name, in the order in which Python hands them over.
typedef struct {
    const char *name;
    size_t offset; // within tal_law
} talus_law_field;
enum { TALUS_LAW_FIELDS = 19 };
extern const talus_law_field talus_law_fields[TALUS_LAW_FIELDS];

// A law of a kind, whether it dissipates in kg, and those numbers.
tal_law talus_law_make(int kind, bool in_kg, const double *number);

// [section] of a site file as a dictionary, with what `given` says in place of the defaults.
PyObject *talus_settings_read(const talus_module *module, PyObject *arguments);

// A state of a dictionary.
PyObject *talus_state_create(PyObject *module, PyObject *arguments);
extern PyType_Spec talus_state_spec, talus_view_spec;

#endif
