// SPDX-License-Identifier: GPL-3.0-or-later
// What each setting needs to have an effect. A setting that always has one has no row.
#include "core/app/idle_check.h"

#include "core/app/release_check.h"
#include "core/app/site_check.h"
#include "core/app/site_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool is_used_function(const tal_settings *s, const void *section);

typedef struct {
    const char *section, *key;
    is_used_function *is_used;
    const char *depends_on; // SECTION.KEY that decides, or several; of the same section: .KEY
    const char *needs;
} idle_row;

// --- what decides ---

// A site file that says "before =" and nothing more leaves its files open, as those of studies do: each stage is
// told its own.
static bool has_files(const tal_settings *s, const char *section, const char *key,
                      const char *files) {
    return files[0] != '\0' || tal_site_file_find_line(s, section, key) > 0;
}

static bool has_before(const tal_settings *s, const void *section) {
    (void)section;
    return has_files(s, "site", "before", s->site.before);
}

static bool has_after(const tal_settings *s, const void *section) {
    (void)section;
    return has_files(s, "site", "after", s->site.after);
}

static bool is_one_epoch(const tal_settings *s, const void *section) {
    (void)section;
    return s->site.before[0] == '\0' || s->site.after[0] == '\0';
}

static bool is_fitted(const tal_settings *s, const void *section) {
    (void)section;
    return s->ingest.coregister != TAL_COREGISTER_NONE;
}

static bool is_thickness_given(const tal_settings *s, const void *section) {
    (void)section;
    return has_files(s, "ingest", "thickness", s->ingest.thickness);
}

static bool is_refined(const tal_settings *s, const void *section) {
    (void)section;
    return !s->mesh.full_resolution;
}

static bool are_bricks(const tal_settings *s, const void *section) {
    (void)section;
    return s->mesh.blocks == TAL_BLOCKS_BRICKS;
}

static bool are_voronoi(const tal_settings *s, const void *section) {
    (void)section;
    return s->mesh.blocks == TAL_BLOCKS_VORONOI;
}

static bool are_scattered(const tal_settings *s, const void *section) {
    return are_voronoi(s, section) && isnan(s->mesh.size_deviation);
}

static bool have_strike(const tal_settings *s, const void *section) {
    return are_bricks(s, section) || are_voronoi(s, section);
}

static bool are_counted(const tal_settings *s, const void *section) {
    return (are_bricks(s, section) && s->mesh.brick_m.count == 0) ||
           (are_voronoi(s, section) && isnan(s->mesh.size_m));
}

static bool are_cut(const tal_settings *s, const void *section) {
    (void)section;
    return tal_site_has_source(s);
}

static bool are_imported(const tal_settings *s, const void *section) {
    (void)section;
    return s->mesh.blocks == TAL_BLOCKS_IMPORT;
}

static bool are_forms(const tal_settings *s, const void *section) {
    (void)section;
    return s->mesh.blocks == TAL_BLOCKS_FORMS;
}

static bool has_class_raster(const tal_settings *s, const void *section) {
    char path[TAL_PATH_SIZE];
    const char *cursor = s->mesh.ground_classes;
    (void)section;
    if (cursor[0] == '\0') {
        return has_files(s, "mesh", "ground_classes", cursor);
    }
    while (tal_settings_next_file(s, &cursor, path)) {
        if (tal_is_class_raster(path)) {
            return true;
        }
    }
    return false;
}

static bool are_joints(const tal_settings *s, const void *section) {
    (void)section;
    return s->mesh.blocks == TAL_BLOCKS_JOINTS;
}

static bool is_weak(const tal_settings *s, const void *section) {
    (void)s;
    return !isnan(((const tal_joint_settings *)section)->tensile_strength_pa);
}

static bool is_weak_or_cuts(const tal_settings *s, const void *section) {
    return are_joints(s, section) || is_weak(s, section);
}

static bool scatters_by_deviation(const tal_settings *s, const void *section) {
    (void)s;
    const int distribution = ((const tal_joint_settings *)section)->spacing_distribution;
    return distribution == TAL_SPACING_NORMAL || distribution == TAL_SPACING_LOGNORMAL;
}

static bool deforms(const tal_settings *s, const void *section) {
    (void)s;
    return ((const tal_body_settings *)section)->kind != TAL_BODY_RIGID;
}

static bool has_elements(const tal_settings *s, const void *section) {
    (void)s;
    return ((const tal_body_settings *)section)->kind == TAL_BODY_FINITE_ELEMENT;
}

static bool any_deforms(const tal_settings *s, const void *section) {
    (void)section;
    for (int k = 0; k < s->body_count; k++) {
        if (deforms(s, &s->body[k])) {
            return true;
        }
    }
    return false;
}

static bool breaks(const tal_settings *s, const void *section) {
    (void)section;
    return s->break_.cut;
}

static bool is_rough(const tal_settings *s, const void *section) {
    (void)s;
    return ((const tal_ground_settings *)section)->roughness_m > 0.0;
}

static bool is_released(const tal_settings *s, const void *section) {
    (void)section;
    return s->release.rocks > 0;
}

static bool is_from_points(const tal_settings *s, const void *section) {
    (void)section;
    return s->release.from_m.count > 0;
}

static bool is_thrown(const tal_settings *s, const void *section) {
    (void)section;
    return strcmp(s->release.speed_mps, "0") != 0;
}

static bool has_forest(const tal_settings *s, const void *section) {
    (void)section;
    return tal_forest_is_given(&s->forest);
}

static bool has_figures(const tal_settings *s, const void *section) {
    (void)section;
    return s->report.figures;
}

static bool is_sampled(const tal_settings *s, const void *section) {
    (void)section;
    return s->calibrate.method <= TAL_METHOD_SOBOL;
}

static bool is_a_range(const tal_settings *s, const void *section) {
    (void)s;
    return ((const tal_vary_settings *)section)->values[0] == '\0';
}

static const idle_row ROWS[] = {
    {"site", "before_crs", has_before, "site.before", "files in before"},
    {"site", "after_crs", has_after, "site.after", "files in after"},
    {"site", "before_unit", has_before, "site.before", "files in before"},
    {"site", "after_unit", has_after, "site.after", "files in after"},
    {"ingest", "accept_shift", is_fitted, "ingest.coregister", "a coregister other than none"},
    {"ingest", "plane_dip_deg", is_one_epoch, "site.before site.after",
     "a site with only one of before and after"},
    {"ingest", "plane_dip_direction_deg", is_one_epoch, "site.before site.after",
     "a site with only one of before and after"},
    {"ingest", "plane_depth_m", is_one_epoch, "site.before site.after",
     "a site with only one of before and after"},
    {"ingest", "thickness", is_one_epoch, "site.before site.after",
     "a site with only one of before and after"},
    {"ingest", "base", is_one_epoch, "site.before site.after",
     "a site with only one of before and after"},
    {"ingest", "thickness_is", is_thickness_given, "ingest.thickness", "thickness = FILE"},
    {"mesh", "mesh_error_m", is_refined, "mesh.full_resolution", "full_resolution = no"},
    {"mesh", "forms", are_forms, "mesh.blocks", "blocks = forms"},
    {"mesh", "form_count", are_forms, "mesh.blocks", "blocks = forms"},
    {"mesh", "brick_m", are_bricks, "mesh.blocks", "blocks = bricks"},
    {"mesh", "block_count", are_counted, "mesh.blocks mesh.brick_m mesh.size_m",
     "blocks = bricks without brick_m, or blocks = voronoi without size_m"},
    {"mesh", "strike_deg", have_strike, "mesh.blocks", "blocks = bricks or voronoi"},
    {"mesh", "clip", are_cut, "mesh.blocks", "blocks = bricks, voronoi or joints"},
    {"mesh", "gap_m", are_cut, "mesh.blocks", "blocks = bricks, voronoi or joints"},
    {"mesh", "size_m", are_voronoi, "mesh.blocks", "blocks = voronoi"},
    {"mesh", "gap_share", are_voronoi, "mesh.blocks", "blocks = voronoi"},
    {"mesh", "size_deviation", are_voronoi, "mesh.blocks", "blocks = voronoi"},
    {"mesh", "relax_rounds", are_scattered, "mesh.blocks mesh.size_deviation",
     "blocks = voronoi without size_deviation"},
    {"mesh", "anisotropy", are_voronoi, "mesh.blocks", "blocks = voronoi"},
    {"mesh", "ground_class_names", has_class_raster, "mesh.ground_classes",
     "a raster in ground_classes"},
    {"mesh", "import", are_imported, "mesh.blocks", "blocks = import"},
    {"mesh", "import_unit", are_imported, "mesh.blocks", "blocks = import"},
    {"mesh", "import_position_m", are_imported, "mesh.blocks", "blocks = import"},
    {"mesh", "import_onto_ground", are_imported, "mesh.blocks", "blocks = import"},
    {"mesh", "import_vertices_max", are_imported, "mesh.blocks", "blocks = import"},
    {"joint", "dip_deg", is_weak_or_cuts, "mesh.blocks .tensile_strength_pa",
     "[mesh] blocks = joints, or tensile_strength_pa"},
    {"joint", "dip_direction_deg", is_weak_or_cuts, "mesh.blocks .tensile_strength_pa",
     "[mesh] blocks = joints, or tensile_strength_pa"},
    {"joint", "spacing_m", are_joints, "mesh.blocks", "[mesh] blocks = joints"},
    {"joint", "spacing_distribution", are_joints, "mesh.blocks", "[mesh] blocks = joints"},
    {"joint", "spread_deg", are_joints, "mesh.blocks", "[mesh] blocks = joints"},
    {"joint", "persistence", are_joints, "mesh.blocks", "[mesh] blocks = joints"},
    {"joint", "spacing_deviation", scatters_by_deviation, ".spacing_distribution",
     "spacing_distribution = normal or lognormal"},
    {"joint", "block_class", is_weak, ".tensile_strength_pa", "tensile_strength_pa"},
    {"body", "kinematics", has_elements, ".kind", "kind = finite-element"},
    {"body", "element_m", has_elements, ".kind", "kind = finite-element"},
    {"body", "young_pa", deforms, ".kind", "kind = pseudo-rigid or finite-element"},
    {"body", "poisson", deforms, ".kind", "kind = pseudo-rigid or finite-element"},
    {"body", "damping_mass_per_s", deforms, ".kind", "kind = pseudo-rigid or finite-element"},
    {"body", "damping_stiffness_s", deforms, ".kind", "kind = pseudo-rigid or finite-element"},
    {"solve", "blow_dt_s", any_deforms, "body", "blocks that deform (see [body.NAME])"},
    {"break", "length_m", any_deforms, "body", "blocks that deform (see [body.NAME])"},
    {"break", "energy_j_m2", breaks, "break.cut", "cut = yes"},
    {"break", "smallest_m", breaks, "break.cut", "cut = yes"},
    {"break", "pieces_max", breaks, "break.cut", "cut = yes"},
    {"ground", "roughness_length_m", is_rough, ".roughness_m", "roughness_m above 0"},
    {"release", "from_is", is_from_points, "release.from_m", "from_m"},
    {"release", "size_m", is_released, "release.rocks", "rocks = NUMBER"},
    {"release", "diameters", is_released, "release.rocks", "rocks = NUMBER"},
    {"release", "height_m", is_released, "release.rocks", "rocks = NUMBER"},
    {"release", "speed_mps", is_released, "release.rocks", "rocks = NUMBER"},
    {"release", "direction_deg", is_thrown, "release.speed_mps", "speed_mps above 0"},
    {"release", "spin_radps", is_released, "release.rocks", "rocks = NUMBER"},
    {"release", "orientation", is_released, "release.rocks", "rocks = NUMBER"},
    {"release", "together", is_released, "release.rocks", "rocks = NUMBER"},
    {"forest", "strength", has_forest, "forest", "stems_per_ha, area or stems"},
    {"report", "percentiles", is_released, "release.rocks", "[release] rocks = NUMBER"},
    {"report", "rockyfor3d", is_released, "release.rocks", "[release] rocks = NUMBER"},
    {"report", "graticule", has_figures, "report.figures", "figures = yes"},
    {"calibrate", "refine", is_sampled, "calibrate.method", "method = grid, lhs or sobol"},
    {"vary", "low", is_a_range, ".values", "a range instead of values"},
    {"vary", "high", is_a_range, ".values", "a range instead of values"},
    {"vary", "scale", is_a_range, ".values", "a range instead of values"},
};

// --- numbers of laws ---

enum {
    LAW_ACD2 = 1 << TAL_CHOICE_LAW_ACD2 | 1 << TAL_CHOICE_LAW_ACD2_PUBLISHED,
    LAW_COULOMB = 1 << TAL_CHOICE_LAW_COULOMB,
    LAW_PENALTY = 1 << TAL_CHOICE_LAW_PENALTY,
    LAW_ROLLING = 1 << TAL_CHOICE_LAW_ROLLING,
    LAW_SCAR = 1 << TAL_CHOICE_LAW_SCAR,
    LAW_PLASTIC = 1 << TAL_CHOICE_LAW_PLASTIC,
    LAW_GROUND = 1 << TAL_CHOICE_LAW_GROUND,
    LAW_SPEED = 1 << TAL_CHOICE_LAW_SPEED_WEAKENING,
    LAW_SLIP = 1 << TAL_CHOICE_LAW_SLIP_WEAKENING,
    LAW_MIXED = 1 << TAL_CHOICE_LAW_ACD2_COULOMB | LAW_ROLLING | LAW_SCAR | LAW_PLASTIC |
                LAW_GROUND | LAW_SPEED | LAW_SLIP
};

// A number of [contact] and of [pair.A.B], the laws that have it, and whether 0 says that there is none of it.
typedef struct {
    const char *key;
    unsigned laws;
    bool zero_is_none;
    const char *needs;
} law_row;

static const law_row LAW_ROWS[] = {
    {"friction", LAW_MIXED | LAW_COULOMB | LAW_PENALTY, true,
     "a law other than acd2 and acd2-published"},
    {"restitution", LAW_MIXED | LAW_COULOMB | LAW_ACD2, true, "a law other than penalty"},
    {"tangential_restitution", LAW_MIXED | LAW_ACD2, true, "a law other than coulomb and penalty"},
    {"kn_kg", LAW_MIXED | LAW_ACD2, false, "a law other than coulomb and penalty"},
    {"kt_kg", LAW_MIXED | LAW_ACD2, false, "a law other than coulomb and penalty"},
    {"stiffness_n_m", LAW_PENALTY, false, "law = penalty"},
    {"damping_n_s_m", LAW_PENALTY, false, "law = penalty"},
    {"rolling_friction", LAW_ROLLING | LAW_GROUND, true, "law = rolling or ground"},
    {"friction_max", LAW_SCAR | LAW_GROUND, false, "law = scar or ground"},
    {"scar_growth_per_m", LAW_SCAR | LAW_GROUND, true, "law = scar or ground"},
    {"scar_decay_per_s", LAW_SCAR | LAW_GROUND, false, "law = scar or ground"},
    {"drag_per_s", LAW_SCAR | LAW_GROUND, true, "law = scar or ground"},
    {"plastic_energy_j_m2", LAW_PLASTIC | LAW_GROUND, true, "law = plastic or ground"},
    {"friction_fast", LAW_SPEED, false, "law = speed-weakening"},
    {"weakening_speed_mps", LAW_SPEED, false, "law = speed-weakening"},
    {"turbulence_mps2", LAW_SPEED, true, "law = speed-weakening"},
    {"friction_worn", LAW_SLIP, false, "law = slip-weakening"},
    {"weakening_slip_m", LAW_SLIP, false, "law = slip-weakening"},
};

static unsigned law_of_pair(const tal_settings *s, const tal_pair_settings *pair) {
    const int law = pair->law == TAL_CHOICE_PAIR_LAW_CONTACT ? s->contact.law : pair->law - 1;
    return 1U << law;
}

// All laws of the site: a pair takes from [contact] what it does not say.
static unsigned laws_of_contact(const tal_settings *s) {
    unsigned laws = 1U << s->contact.law;
    for (int k = 0; k < s->pair_count; k++) {
        laws |= law_of_pair(s, &s->pair[k]);
    }
    return laws;
}

// --- walking ---

// A setting that was given and is idle.
typedef struct {
    const tal_setting *setting;
    const char *section, *where, *needs;
    bool is_tried; // what decides over it was
} idle;

typedef void idle_visitor(const idle *found, void *context);

typedef struct {
    const tal_settings *settings;
    idle_visitor *visit;
    void *context;
} walk;

static bool is_given(const tal_settings *s, const void *value) {
    return tal_settings_where(s, value) != s->site_file;
}

static bool is_preset(const tal_setting *setting, const char *section) {
    if (setting->kind == TAL_KIND_REAL) {
        const double value = *(const double *)(const void *)(section + setting->offset);
        return setting->preset[0] == '\0' ? isnan(value) : value == strtod(setting->preset, NULL);
    }
    tal_text text = {0};
    tal_settings_value(section, setting, &text);
    const bool is_same = strcmp(tal_text_string(&text), setting->preset) == 0;
    tal_text_destroy(&text);
    return is_same;
}

// Does [vary...] or --set decide over SECTION or SECTION.KEY?
static bool is_tried(const tal_settings *s, const char *name) {
    const size_t length = strlen(name);
    for (int k = 0; k < s->vary_count; k++) {
        if (strncmp(s->vary[k].label, name, length) == 0) {
            return true;
        }
    }
    for (int k = 0; k < s->given_count; k++) {
        const char *where = s->given[k].where;
        if (strncmp(where, "--set ", 6) == 0 && strncmp(where + 6, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// One row in one section, "body.rock".
static void walk_row(const walk *w, const idle_row *row, const char *name, const char *section) {
    const tal_settings *s = w->settings;
    const tal_setting *setting = tal_settings_find(row->section, row->key);
    if (!is_given(s, section + setting->offset) || is_preset(setting, section) ||
        row->is_used(s, section)) {
        return;
    }
    bool tried = false;
    for (const char *word = row->depends_on; *word != '\0'; word += strspn(word, " ")) {
        char deciding[4 * TAL_LABEL_SIZE];
        const int length = (int)strcspn(word, " ");
        snprintf(deciding, sizeof deciding, "%s%.*s", word[0] == '.' ? name : "", length, word);
        tried = tried || is_tried(s, deciding);
        word += length;
    }
    w->visit(
        &(idle){setting, name, tal_settings_where(s, section + setting->offset), row->needs, tried},
        w->context);
}

static void walk_sections(const walk *w, const idle_row *row) {
    const tal_settings_section *kind = tal_settings_find_section(row->section);
    const char *base = (const char *)w->settings;
    const int count = kind->repeats ? *(const int *)(const void *)(base + kind->count_offset) : 1;
    for (int k = 0; k < count; k++) {
        const char *section = base + kind->offset + (size_t)k * kind->size; // begins with its label
        char name[2 * TAL_LABEL_SIZE];
        snprintf(name, sizeof name, "%s%s%s", row->section, kind->repeats ? "." : "", section);
        walk_row(w, row, name, section);
    }
}

// The numbers of laws in "contact" or "pair.A.B".
static void walk_law(const walk *w, const char *kind, const char *name, const char *section,
                     unsigned laws) {
    const tal_settings *s = w->settings;
    char law[3 * TAL_LABEL_SIZE];
    snprintf(law, sizeof law, "%s.law", name);
    const bool is_law_tried = is_tried(s, "contact.law") || is_tried(s, law);
    for (size_t k = 0; k < sizeof LAW_ROWS / sizeof *LAW_ROWS; k++) {
        const law_row *row = &LAW_ROWS[k];
        const tal_setting *setting = tal_settings_find(kind, row->key);
        if (setting == NULL || (laws & row->laws) != 0) { // some are of [contact] only
            continue;
        }
        const double *value = (const double *)(const void *)(section + setting->offset);
        if (is_given(s, value) && !is_preset(setting, section) && !isnan(*value) &&
            !(row->zero_is_none && *value == 0.0)) {
            w->visit(&(idle){setting, name, tal_settings_where(s, value), row->needs, is_law_tried},
                     w->context);
        }
    }
}

static void walk_all(const tal_settings *s, idle_visitor *visit, void *context) {
    const walk w = {s, visit, context};
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        walk_sections(&w, &ROWS[k]);
    }
    walk_law(&w, "contact", "contact", (const char *)&s->contact, laws_of_contact(s));
    for (int k = 0; k < s->pair_count; k++) {
        char name[2 * TAL_LABEL_SIZE];
        snprintf(name, sizeof name, "pair.%s", s->pair[k].label);
        walk_law(&w, "pair", name, (const char *)&s->pair[k], law_of_pair(s, &s->pair[k]));
    }
}

// --- what is done with them ---

static void refuse(const idle *found, void *context) {
    if (found->is_tried) {
        return;
    }
    tal_error_add(context, TAL_BAD_SETTING,
                  "%s: [%s] %s has no effect here: it needs %s. Change that, or leave %s out",
                  found->where, found->section, found->setting->key, found->needs,
                  found->setting->key);
}

// Where all that a section says is the default it still reads as if its blocks deformed.
static void check_body(const tal_settings *s, const tal_body_settings *body, tal_error *err) {
    if (!is_given(s, &body->kind)) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "%s: [body.%s] does not say how these blocks deform, and without that they are "
            "rigid: add kind = finite-element or kind = pseudo-rigid, or leave [body.%s] "
            "out",
            tal_settings_where_in(s, body, sizeof *body), body->label, body->label);
    }
}

void tal_idle_check(const tal_settings *settings, tal_error *err) {
    const int before = err->message_count;
    walk_all(settings, refuse, err);
    for (int k = 0; k < settings->body_count && err->message_count == before; k++) {
        check_body(settings, &settings->body[k], err);
    }
}

static void reset(const idle *found, void *context) {
    tal_error err;
    tal_error_reset(&err);
    const tal_status status = tal_settings_set(context, found->section, found->setting->key,
                                               found->setting->preset, "default", &err);
    TAL_ASSERT(status == TAL_OK);
}

void tal_idle_reset(tal_settings *settings) {
    walk_all(settings, reset, settings);
}
