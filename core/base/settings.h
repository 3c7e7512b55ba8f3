// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of all stages, generated from core/base/settings.def: `settings.ingest.cell_m` is a
// double, `settings.joint[0].dip_deg` belongs to the first [joint.*] section of the site file.
#ifndef TALUS_CORE_BASE_SETTINGS_H
#define TALUS_CORE_BASE_SETTINGS_H

#include "core/base/file.h"
#include "core/base/grounds.h"
#include "core/base/laws.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

enum {
    TAL_STAGE_INGEST = 1,
    TAL_STAGE_MESH = 2,
    TAL_STAGE_SOLVE = 4,
    TAL_STAGE_POST = 8,
    TAL_STAGE_CALIBRATE = 16,
    TAL_STAGE_ALL = 31
};

enum {
    TAL_REPEAT_MAX = 32, // sections of one kind
    TAL_REALS_MAX = 16,  // numbers in a list
    TAL_SETTING_TEXT_SIZE = 256,
    TAL_SETTING_FILES_SIZE = 8192, // paths, each ended by '\n'
    TAL_LABEL_SIZE = 64,
    TAL_GIVEN_MAX = 1024, // keys of one site file
    TAL_WHERE_SIZE = 64
};

#define TAL_GROUND_CHOICES(X)                                                                      \
    X(TAL_GROUND_AUTO, "auto")                                                                     \
    X(TAL_GROUND_CLASSES, "classes")                                                               \
    X(TAL_GROUND_NATIVE, "native")                                                                 \
    X(TAL_GROUND_SMRF, "smrf") X(TAL_GROUND_CSF, "csf") X(TAL_GROUND_NONE, "none")
#define TAL_HEIGHT_UNIT_CHOICES(X)                                                                 \
    X(TAL_HEIGHT_UNIT_AUTO, "auto")                                                                \
    X(TAL_HEIGHT_UNIT_M, "m") X(TAL_HEIGHT_UNIT_FT, "ft") X(TAL_HEIGHT_UNIT_US_FT, "us-ft")
#define TAL_FRAME_CHOICES(X)                                                                       \
    X(TAL_FRAME_AUTO, "auto") X(TAL_FRAME_VERTICAL, "vertical") X(TAL_FRAME_CLIFF, "cliff")
#define TAL_COREGISTER_CHOICES(X)                                                                  \
    X(TAL_COREGISTER_AUTO, "auto")                                                                 \
    X(TAL_COREGISTER_SHIFT, "shift") X(TAL_COREGISTER_ICP, "icp") X(TAL_COREGISTER_NONE, "none")
#define TAL_BED_CHOICES(X) X(TAL_BED_MIN, "min") X(TAL_BED_AFTER, "after")
#define TAL_THICKNESS_CHOICES(X)                                                                   \
    X(TAL_THICKNESS_ASK, "ask") X(TAL_THICKNESS_BELOW, "below") X(TAL_THICKNESS_ABOVE, "above")
#define TAL_BLOCKS_CHOICES(X)                                                                      \
    X(TAL_BLOCKS_BRICKS, "bricks")                                                                 \
    X(TAL_BLOCKS_JOINTS, "joints")                                                                 \
    X(TAL_BLOCKS_VORONOI, "voronoi")                                                               \
    X(TAL_BLOCKS_IMPORT, "import") X(TAL_BLOCKS_FORMS, "forms")
#define TAL_CLIP_CHOICES(X)        X(TAL_CLIP_BODY, "body") X(TAL_CLIP_NONE, "none")
#define TAL_IMPORT_UNIT_CHOICES(X) X(TAL_IMPORT_UNIT_M, "m") X(TAL_IMPORT_UNIT_MM, "mm")
#define TAL_BODY_CHOICES(X)                                                                        \
    X(TAL_BODY_RIGID, "rigid")                                                                     \
    X(TAL_BODY_PSEUDO_RIGID, "pseudo-rigid") X(TAL_BODY_FINITE_ELEMENT, "finite-element")
#define TAL_KINEMATICS_CHOICES(X)                                                                  \
    X(TAL_CHOICE_KINEMATICS_FLOATING_FRAME, "floating-frame")                                      \
    X(TAL_CHOICE_KINEMATICS_TOTAL_LAGRANGIAN, "total-lagrangian")                                  \
    X(TAL_CHOICE_KINEMATICS_COROTATIONAL, "corotational")                                          \
    X(TAL_CHOICE_KINEMATICS_SMALL, "small")
#define TAL_SPACING_CHOICES(X)                                                                     \
    X(TAL_SPACING_EXPONENTIAL, "exponential")                                                      \
    X(TAL_SPACING_NORMAL, "normal")                                                                \
    X(TAL_SPACING_LOGNORMAL, "lognormal") X(TAL_SPACING_CONSTANT, "constant")
#define TAL_PLACE_CHOICES(X)                                                                       \
    X(TAL_PLACE_POINTS, "points") X(TAL_PLACE_LINE, "line") X(TAL_PLACE_POLYGON, "polygon")
#define TAL_ORIENTATION_CHOICES(X)                                                                 \
    X(TAL_ORIENTATION_RANDOM, "random") X(TAL_ORIENTATION_GIVEN, "given")
#define TAL_SCHEME_CHOICES(X)                                                                      \
    X(TAL_CHOICE_SCHEME_MOREAU, "moreau") X(TAL_CHOICE_SCHEME_ACD2, "acd2")
#define TAL_LAW_CHOICE(X, kind, number, id, word) X(TAL_CHOICE_LAW_##kind, word)
#define TAL_LAW_CHOICES(X)                        TAL_LAW_LIST(TAL_LAW_CHOICE, X)
// A pair's law: the first is that of [contact], the others follow in the order above.
#define TAL_PAIR_LAW_CHOICES(X) X(TAL_CHOICE_PAIR_LAW_CONTACT, "contact") TAL_LAW_CHOICES(X)

#define TAL_GROUND_KIND_CHOICE(X, kind, word, mu, most, growth, decay, drag)                       \
    X(TAL_GROUND_KIND_##kind, word)
#define TAL_GROUND_KIND_CHOICES(X)                                                                 \
    X(TAL_GROUND_KIND_NONE, "none") TAL_GROUND_LIST(TAL_GROUND_KIND_CHOICE, X)

#define TAL_METHOD_CHOICES(X)                                                                      \
    X(TAL_METHOD_GRID, "grid")                                                                     \
    X(TAL_METHOD_LHS, "lhs")                                                                       \
    X(TAL_METHOD_SOBOL, "sobol")                                                                   \
    X(TAL_METHOD_BOBYQA, "bobyqa")                                                                 \
    X(TAL_METHOD_NELDER_MEAD, "nelder-mead") X(TAL_METHOD_CRS, "crs")
#define TAL_GRATICULE_CHOICES(X)                                                                   \
    X(TAL_GRATICULE_METRES, "metres") X(TAL_GRATICULE_DEGREES, "degrees")
#define TAL_SCALE_CHOICES(X) X(TAL_SCALE_LINEAR, "linear") X(TAL_SCALE_LOG, "log")

#define TAL_CHOICE_ENUM(name, text) name,
typedef enum { TAL_GROUND_CHOICES(TAL_CHOICE_ENUM) } tal_ground_choice;
typedef enum { TAL_HEIGHT_UNIT_CHOICES(TAL_CHOICE_ENUM) } tal_height_unit_choice;
typedef enum { TAL_FRAME_CHOICES(TAL_CHOICE_ENUM) } tal_frame_choice;
typedef enum { TAL_COREGISTER_CHOICES(TAL_CHOICE_ENUM) } tal_coregister_choice;
typedef enum { TAL_BED_CHOICES(TAL_CHOICE_ENUM) } tal_bed_choice;
typedef enum { TAL_THICKNESS_CHOICES(TAL_CHOICE_ENUM) } tal_thickness_choice;
typedef enum { TAL_BLOCKS_CHOICES(TAL_CHOICE_ENUM) } tal_blocks_choice;
typedef enum { TAL_CLIP_CHOICES(TAL_CHOICE_ENUM) } tal_clip_choice;
typedef enum { TAL_IMPORT_UNIT_CHOICES(TAL_CHOICE_ENUM) } tal_import_unit_choice;
typedef enum { TAL_BODY_CHOICES(TAL_CHOICE_ENUM) } tal_body_choice;
typedef enum { TAL_KINEMATICS_CHOICES(TAL_CHOICE_ENUM) } tal_kinematics_choice;
typedef enum { TAL_SPACING_CHOICES(TAL_CHOICE_ENUM) } tal_spacing_choice;
typedef enum { TAL_PLACE_CHOICES(TAL_CHOICE_ENUM) } tal_place_choice;
typedef enum { TAL_ORIENTATION_CHOICES(TAL_CHOICE_ENUM) } tal_orientation_choice;
typedef enum { TAL_SCHEME_CHOICES(TAL_CHOICE_ENUM) } tal_scheme_choice;
typedef enum { TAL_LAW_CHOICES(TAL_CHOICE_ENUM) } tal_law_choice;
enum { TAL_CHOICE_PAIR_LAW_CONTACT = 0 };
typedef enum { TAL_GROUND_KIND_CHOICES(TAL_CHOICE_ENUM) } tal_ground_kind_choice;
typedef enum { TAL_METHOD_CHOICES(TAL_CHOICE_ENUM) } tal_method_choice;
typedef enum { TAL_GRATICULE_CHOICES(TAL_CHOICE_ENUM) } tal_graticule_choice;
typedef enum { TAL_SCALE_CHOICES(TAL_CHOICE_ENUM) } tal_scale_choice;
#undef TAL_CHOICE_ENUM

typedef struct {
    int count;
    double value[TAL_REALS_MAX];
} tal_reals;

// One struct per section: tal_site_settings, tal_ingest_settings, ... `label` is what follows the dot
// in [joint.label], empty in sections that do not repeat.
#define SECTION(name, stages, sentence)                                                            \
    typedef struct {                                                                               \
        char label[TAL_LABEL_SIZE];
#define SECTION_NAMED(name, word, stages, sentence)      SECTION(name, stages, sentence)
#define SECTIONS(name, stages, sentence)                 SECTION(name, stages, sentence)
#define REAL(section, key, preset, range, unit, text)    double key;
#define REALS(section, key, preset, range, unit, text)   tal_reals key;
#define INTEGER(section, key, preset, range, unit, text) int64_t key;
#define BOOLEAN(section, key, preset, text)              bool key;
#define TEXT(section, key, preset, text)                 char key[TAL_SETTING_TEXT_SIZE];
#define FILES(section, key, preset, text)                char key[TAL_SETTING_FILES_SIZE];
#define CHOICE(section, key, preset, list, text)         int key;
#define END_SECTION(name)                                                                          \
    }                                                                                              \
    tal_##name##_settings;
#include "core/base/settings.def"

// A value that was given, rather than left at its default.
typedef struct {
    size_t offset;              // within tal_settings
    char where[TAL_WHERE_SIZE]; // "site.ini:12"; a long path keeps its end
    bool is_settled;            // checked against the others already
} tal_setting_given;

typedef struct {
    char site_file[TAL_PATH_SIZE]; // as given by the user; empty without one
    int given_count;
    tal_setting_given given[TAL_GIVEN_MAX];
#define SECTION(name, stages, sentence)             tal_##name##_settings name;
#define SECTION_NAMED(name, word, stages, sentence) tal_##name##_settings name;
#define SECTIONS(name, stages, sentence)                                                           \
    tal_##name##_settings name[TAL_REPEAT_MAX];                                                    \
    int name##_count;
#define REAL(section, key, preset, range, unit, text)
#define REALS(section, key, preset, range, unit, text)
#define INTEGER(section, key, preset, range, unit, text)
#define BOOLEAN(section, key, preset, text)
#define TEXT(section, key, preset, text)
#define FILES(section, key, preset, text)
#define CHOICE(section, key, preset, list, text)
#define END_SECTION(name)
#include "core/base/settings.def"
} tal_settings;

typedef enum {
    TAL_KIND_REAL,
    TAL_KIND_REALS,
    TAL_KIND_INTEGER,
    TAL_KIND_BOOLEAN,
    TAL_KIND_TEXT,
    TAL_KIND_FILES,
    TAL_KIND_CHOICE
} tal_setting_kind;

// A row of the table, as help, docs and readers see it.
typedef struct {
    const char *key;
    tal_setting_kind kind;
    const char *preset;
    const char *range;
    const char *unit;
    const char *sentence;
    const char *const *choices; // ended by NULL
    size_t offset;              // within its section's struct
} tal_setting;

typedef struct {
    const char *name;
    unsigned stages;
    const char *sentence;
    bool repeats;
    size_t offset;       // within tal_settings
    size_t size;         // of one section's struct
    size_t count_offset; // of name_count, where it repeats
    int setting_count;
    const tal_setting *settings;
} tal_settings_section;

// All sections in the order of core/base/settings.def.
const tal_settings_section *tal_settings_sections(int *count);

// Every setting at its default.
void tal_settings_init(tal_settings *settings);

// Sets `[section] key = value` from text; `section` is "ingest", or "joint.1" for one that repeats
// (made on first mention). `where` ("site.ini:12" or "--set") begins each message. Adds to `err`
// whatever is wrong: unknown section or key with the nearest known one, not a number, NaN, out of
// range, too long.
tal_status tal_settings_set(tal_settings *settings, const char *section, const char *key,
                            const char *value, const char *where, tal_error *err);

// Where a member of `settings` was given since tal_site_check; NULL: it was not.
const char *tal_settings_given(const tal_settings *settings, const void *value);
// The same for any member of the section that takes `size` bytes at `section`.
const char *tal_settings_given_in(const tal_settings *settings, const void *section, size_t size);

// Where it was given at all; the name of the site file where it was not.
const char *tal_settings_where(const tal_settings *settings, const void *value);
// The same for a whole section: where its first key is.
const char *tal_settings_where_in(const tal_settings *settings, const void *section, size_t size);

// The value as it would be written in a site file.
void tal_settings_value(const void *section_struct, const tal_setting *setting, tal_text *out);

typedef enum {
    TAL_SETTINGS_PLAIN,
    TAL_SETTINGS_NOTES,   // each row carries its sentence, unit and range as a comment
    TAL_SETTINGS_PORTABLE // paths cut to their last part: the text to store in outputs and to hash
} tal_settings_style;

// Resolved settings as a site file: sections that belong to any of `stages`, in table order. The same
// settings always give the same text.
void tal_settings_write(const tal_settings *settings, unsigned stages, tal_settings_style style,
                        tal_text *out);

// Steps through a FILES value (start with cursor = the value): gives the next path, relative ones
// seen from the folder of the site file; false after the last, or before one that is too long
// (*cursor != 0).
bool tal_settings_next_file(const tal_settings *settings, const char **cursor,
                            char path[TAL_PATH_SIZE]);

// The struct of a section that is there: "ingest", or "joint.1" of one that repeats.
const void *tal_settings_section_struct(const tal_settings *settings, const char *name);

// A section or a row by name ("joint.1" finds "joint"); NULL where there is none.
const tal_settings_section *tal_settings_find_section(const char *name);
const tal_setting *tal_settings_find(const char *section, const char *key);

#endif
