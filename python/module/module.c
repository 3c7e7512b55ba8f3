// SPDX-License-Identifier: GPL-3.0-or-later
// What `import talus._talus` finds.
#include "python/module/module.h"

#include "core/base/grounds.h"
#include "core/base/settings.h"

#include <stddef.h>
#include <string.h>

talus_module *talus_module_of(PyObject *module) {
    return PyModule_GetState(module);
}

PyObject *talus_raise(const talus_module *module, tal_status status, const tal_error *err) {
    PyObject *kind = status == TAL_NO_MEMORY ? PyExc_MemoryError
                     : status == TAL_IO || status == TAL_NOT_FOUND || status == TAL_EXISTS
                         ? PyExc_OSError
                         : module->error;
    const char *text = err->text[0] != '\0' ? err->text : tal_status_text(status);
    if (err->left_out > 0) {
        PyErr_Format(kind, "%s\nand %d more", text, err->left_out);
    } else {
        PyErr_SetString(kind, text);
    }
    return NULL;
}

static PyObject *value_of(const void *section, const tal_setting *setting) {
    const char *at = (const char *)section + setting->offset;
    switch (setting->kind) {
    case TAL_KIND_REAL:
        return PyFloat_FromDouble(*(const double *)(const void *)at);
    case TAL_KIND_INTEGER:
        return PyLong_FromLongLong(*(const int64_t *)(const void *)at);
    case TAL_KIND_BOOLEAN:
        return PyBool_FromLong(*(const bool *)(const void *)at);
    case TAL_KIND_CHOICE:
        return PyUnicode_FromString(setting->choices[*(const int *)(const void *)at]);
    case TAL_KIND_TEXT:
        return PyUnicode_FromString(at);
    default:
        return Py_NewRef(Py_None);
    }
}

static const tal_settings_section *find_section(const char *name) {
    int count;
    const tal_settings_section *section = tal_settings_sections(&count);
    for (int n = 0; n < count; n++) {
        if (strcmp(section[n].name, name) == 0 && !section[n].repeats) {
            return &section[n];
        }
    }
    return NULL;
}

static bool set_given(tal_settings *settings, const char *section, const char *where,
                      PyObject *given, tal_error *err) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(given, &at, &key, &value)) {
        const bool are_words = PyUnicode_Check(key) && PyUnicode_Check(value);
        const char *name = are_words ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        const char *word = name != NULL ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        if (word == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_TypeError, "settings are given as words");
            }
            return false;
        }
        tal_settings_set(settings, section, name, word, where, err);
    }
    return true;
}

static PyObject *section_as_dictionary(const tal_settings *settings,
                                       const tal_settings_section *section) {
    PyObject *result = PyDict_New();
    for (int n = 0; result != NULL && n < section->setting_count; n++) {
        const tal_setting *setting = &section->settings[n];
        PyObject *value = value_of((const char *)settings + section->offset, setting);
        if (value == NULL || PyDict_SetItemString(result, setting->key, value) != 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(value);
    }
    return result;
}

PyObject *talus_settings_read(const talus_module *module, PyObject *arguments) {
    const char *name, *where;
    PyObject *given;
    if (!PyArg_ParseTuple(arguments, "ssO!:settings", &name, &where, &PyDict_Type, &given)) {
        return NULL;
    }
    const tal_settings_section *section = find_section(name);
    if (section == NULL) {
        return PyErr_Format(PyExc_ValueError, "there is no section %s", name);
    }
    tal_settings *settings = PyMem_Malloc(sizeof *settings);
    tal_error *err = PyMem_Malloc(sizeof *err);
    PyObject *result = NULL;
    if (settings == NULL || err == NULL) {
        PyErr_NoMemory();
    } else {
        tal_settings_init(settings);
        tal_error_reset(err);
        if (set_given(settings, name, where, given, err)) {
            result = err->message_count > 0 ? talus_raise(module, err->status, err)
                                            : section_as_dictionary(settings, section);
        }
    }
    PyMem_Free(settings);
    PyMem_Free(err);
    return result;
}

static PyObject *settings_read(PyObject *self, PyObject *arguments) {
    return talus_settings_read(talus_module_of(self), arguments);
}

// Names, kinds and places of the numbers of a report, for a numpy view of it.
static PyObject *report_fields(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
#define REAL(field)  #field, "f8", (Py_ssize_t)offsetof(tal_report, field)
#define WHOLE(field) #field, "i4", (Py_ssize_t)offsetof(tal_report, field)
    return Py_BuildValue(
        "[(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)"
        "(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)(ssn)"
        "]",
        REAL(time_s), WHOLE(substeps), REAL(kinetic_translation_j), REAL(kinetic_rotation_j),
        REAL(potential_j), REAL(kinetic_deformation_j), REAL(strain_j), REAL(dissipated_material_j),
        WHOLE(settling_rounds), REAL(dissipated_normal_j), REAL(dissipated_tangential_j),
        REAL(correction_j), REAL(applied_j), REAL(constraint_j), REAL(energy_defect_j),
        REAL(energy_rise_bound_j), REAL(clausius_duhem_worst_j), REAL(opposed_worst_j),
        WHOLE(manifold_count), WHOLE(contact_count), WHOLE(active_count), WHOLE(impact_count),
        WHOLE(color_count), WHOLE(island_count), WHOLE(islands_resolved), WHOLE(islands_finished),
        WHOLE(iterations), REAL(residual), WHOLE(unconverged_count), REAL(penetration_m),
        WHOLE(penetration_body_i), WHOLE(penetration_body_j));
#undef REAL
#undef WHOLE
}

static PyObject *law_numbers(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    PyObject *result = PyDict_New();
#define ADD(X, kind, number, id, word)                                                             \
    if (result != NULL) {                                                                          \
        PyObject *value = PyLong_FromLong(number);                                                 \
        if (value == NULL || PyDict_SetItemString(result, word, value) != 0) {                     \
            Py_CLEAR(result);                                                                      \
        }                                                                                          \
        Py_XDECREF(value);                                                                         \
    }
    TAL_LAW_LIST(ADD, )
    TAL_LAW_LIST_OF_LIBRARY(ADD, )
#undef ADD
    return result;
}

// friction, friction_max, scar_growth_per_m, scar_decay_per_s, drag_per_s by the name of the ground.
static PyObject *grounds(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    PyObject *result = PyDict_New();
#define ADD(X, kind, word, mu, most, growth, decay, drag)                                          \
    if (result != NULL) {                                                                          \
        PyObject *value = Py_BuildValue("(ddddd)", mu, most, growth, decay, drag);                 \
        if (value == NULL || PyDict_SetItemString(result, word, value) != 0) {                     \
            Py_CLEAR(result);                                                                      \
        }                                                                                          \
        Py_XDECREF(value);                                                                         \
    }
    TAL_GROUND_LIST(ADD, )
#undef ADD
    return result;
}

static PyObject *law_fields(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    PyObject *result = PyList_New(0);
    for (int f = 0; result != NULL && f < TALUS_LAW_FIELDS; f++) {
        PyObject *name = PyUnicode_FromString(talus_law_fields[f].name);
        if (name == NULL || PyList_Append(result, name) != 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(name);
    }
    return result;
}

static PyObject *settings_default(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    const tal_solver_settings s = tal_solver_settings_default();
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:i,s:i}", "impact_speed_mps", s.impact_speed_mps,
                         "correction", s.correction, "slop", s.slop, "overlap_max", s.overlap_max,
                         "ground_overlap_max_m", s.ground_overlap_max_m, "substep_max",
                         s.substep_max, "rest_steps", s.rest_steps);
}

static PyMethodDef methods[] = {
    {"create", talus_state_create, METH_VARARGS, "create(arrays, threads): a state"},
    {"fill", talus_fill, METH_VARARGS, "fill(arrays, element): nodes and tetrahedra"},
    {"settings", settings_read, METH_VARARGS, "settings(section, where, given): a dictionary"},
    {"settings_default", settings_default, METH_NOARGS, "what only the library knows"},
    {"report_fields", report_fields, METH_NOARGS, "name, kind, place"},
    {"grounds", grounds, METH_NOARGS, "numbers of ground classes"},
    {"law_fields", law_fields, METH_NOARGS, "names of the numbers of a law"},
    {"law_numbers", law_numbers, METH_NOARGS, "word: number"},
    {NULL, NULL, 0, NULL}};

static int execute(PyObject *module) {
    talus_module *m = talus_module_of(module);
    m->error = PyErr_NewExceptionWithDoc("talus.Error", "What the solver refuses, and why.",
                                         PyExc_ValueError, NULL);
    m->state_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &talus_state_spec, NULL);
    m->view_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &talus_view_spec, NULL);
    if (m->error == NULL || m->state_type == NULL || m->view_type == NULL) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "Error", m->error);
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
    talus_module *m = talus_module_of(module);
    Py_VISIT(m->error);
    Py_VISIT(m->state_type);
    Py_VISIT(m->view_type);
    return 0;
}

static int clear(PyObject *module) {
    talus_module *m = talus_module_of(module);
    Py_CLEAR(m->error);
    Py_CLEAR(m->state_type);
    Py_CLEAR(m->view_type);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "_talus",
                                 .m_doc = "The solver library of talus.",
                                 .m_size = sizeof(talus_module),
                                 .m_methods = methods,
                                 .m_slots = slots,
                                 .m_traverse = traverse,
                                 .m_clear = clear};

PyMODINIT_FUNC PyInit__talus(void);
PyMODINIT_FUNC PyInit__talus(void) {
    return PyModuleDef_Init(&definition);
}
