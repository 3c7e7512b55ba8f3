// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that are given and change nothing are told with their line and what they need; with that they are taken.
#include "core/app/idle_check.h"
#include "core/app/site_file.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

static tal_settings *settings;

// Also with those that --set gives.
static tal_status judge(const char *text, const char *section, const char *key, const char *value) {
    char path[TAL_PATH_SIZE];
    tal_memory_destroy(settings);
    settings = tal_memory_create(1, sizeof *settings);
    tal_settings_init(settings);
    tal_path_join(path, check_scratch(), "site.ini");
    tal_error_reset(&check_error);
    tal_file_write_text(path, text, TAL_REPLACE, &check_error);
    check_ok(tal_site_file_read(settings, path, 0, &check_error));
    if (section != NULL) {
        char where[100];
        snprintf(where, sizeof where, "--set %s.%s=%s", section, key, value);
        check_ok(tal_settings_set(settings, section, key, value, where, &check_error));
    }
    tal_idle_check(settings, &check_error);
    return check_error.message_count > 0 ? check_error.status : TAL_OK;
}

static int finish(void **state) {
    (void)state;
    tal_memory_destroy(settings);
    settings = NULL;
    return 0;
}

// What is idle in a site that says nothing else, and what gives it an effect: lines before it, or after it.
static const struct {
    const char *section, *line, *before, *after;
} CASES[] = {
    {"site", "before_crs = EPSG:2154", "", "before = a.las"},
    {"site", "after_crs = EPSG:2154", "", "after = a.las"},
    {"site", "before_unit = ft", "", "before = a.las"},
    {"site", "after_unit = ft", "", "after = a.las"},
    {"ingest", "thickness_is = below", "", "thickness = a.tif"},
    {"mesh", "forms = cube", "[release]\nrocks = 3\nfrom_m = 1 1", "blocks = forms"},
    {"mesh", "form_count = 3", "[release]\nrocks = 3\nfrom_m = 1 1", "blocks = forms"},
    {"mesh", "size_m = 3", "", "blocks = voronoi"},
    {"mesh", "gap_share = 0.02", "", "blocks = voronoi"},
    {"mesh", "size_deviation = 0.3", "", "blocks = voronoi"},
    {"mesh", "relax_rounds = 5", "", "blocks = voronoi"},
    {"mesh", "anisotropy = 2 1 1", "", "blocks = voronoi"},
    {"mesh", "ground_class_names = a b", "", "ground_classes = a.tif"},
    {"mesh", "import = a.obj", "", "blocks = import"},
    {"mesh", "import_unit = mm", "", "blocks = import"},
    {"mesh", "import_position_m = 1 2 3", "", "blocks = import"},
    {"mesh", "import_onto_ground = yes", "", "blocks = import"},
    {"mesh", "import_vertices_max = 30", "", "blocks = import"},
    {"joint.1", "dip_deg = 30", "[mesh]\nblocks = joints", ""},
    {"joint.1", "dip_direction_deg = 30", "[mesh]\nblocks = joints", ""},
    {"joint.1", "spacing_m = 30", "[mesh]\nblocks = joints", ""},
    {"joint.1", "spacing_distribution = normal", "[mesh]\nblocks = joints", ""},
    {"joint.1", "spread_deg = 3", "[mesh]\nblocks = joints", ""},
    {"joint.1", "persistence = 0.3", "[mesh]\nblocks = joints", ""},
    {"joint.1", "spacing_deviation = 0.2", "[mesh]\nblocks = joints",
     "spacing_distribution = lognormal"},
    {"joint.1", "block_class = rock",
     "[body.rock]\nkind = pseudo-rigid\n[break]\ntensile_strength_pa = 1e6",
     "tensile_strength_pa = 1e5\ndip_deg = 3\ndip_direction_deg = 3"},
    {"body.rock", "kinematics = small", "", "kind = finite-element\nelement_m = 1"},
    {"body.rock", "element_m = 2", "", "kind = finite-element"},
    {"body.rock", "young_pa = 1e9", "", "kind = pseudo-rigid"},
    {"body.rock", "poisson = 0.3", "", "kind = pseudo-rigid"},
    {"body.rock", "damping_mass_per_s = 1", "", "kind = pseudo-rigid"},
    {"body.rock", "damping_stiffness_s = 1", "", "kind = pseudo-rigid"},
    {"solve", "blow_dt_s = 1e-4", "[body.rock]\nkind = pseudo-rigid", ""},
    {"break", "length_m = 0.2", "[body.rock]\nkind = pseudo-rigid", ""},
    {"break", "energy_j_m2 = 20", "[body.rock]\nkind = pseudo-rigid",
     "tensile_strength_pa = 1e6\ncut = yes"},
    {"break", "smallest_m = 2", "[body.rock]\nkind = pseudo-rigid",
     "tensile_strength_pa = 1e6\ncut = yes"},
    {"break", "pieces_max = 20", "[body.rock]\nkind = pseudo-rigid",
     "tensile_strength_pa = 1e6\ncut = yes"},
    {"ground.ground", "roughness_length_m = 2", "", "roughness_m = 0.1"},
    {"release", "size_m = 1", "", "rocks = 3\nfrom_m = 1 1"},
    {"release", "from_is = polygon", "", "rocks = 3\nfrom_m = 1 1 2 2 3 1"},
    {"release", "height_m = 1", "", "rocks = 3\nfrom_m = 1 1"},
    {"release", "speed_mps = 1", "", "rocks = 3\nfrom_m = 1 1"},
    {"release", "direction_deg = 30", "", "rocks = 3\nfrom_m = 1 1\nspeed_mps = 2"},
    {"release", "spin_radps = 1", "", "rocks = 3\nfrom_m = 1 1"},
    {"release", "orientation = given", "", "rocks = 3\nfrom_m = 1 1"},
    {"release", "together = yes", "", "rocks = 3\nfrom_m = 1 1"},
    {"release", "diameters = a.tif", "", "rocks = 3\nfrom_m = 1 1"},
    {"forest", "strength = 2", "[release]\nrocks = 3\nfrom_m = 1 1",
     "stems_per_ha = 100\ndiameter_cm = 30"},
    {"report", "percentiles = 50", "[release]\nrocks = 3\nfrom_m = 1 1", ""},
    {"report", "rockyfor3d = yes", "[release]\nrocks = 3\nfrom_m = 1 1", ""},
    {"contact", "stiffness_n_m = 1e7", "", "law = penalty"},
    {"contact", "damping_n_s_m = 1e7", "", "law = penalty"},
    {"contact", "rolling_friction = 0.1", "", "law = rolling"},
    {"contact", "friction_max = 1", "", "law = scar"},
    {"contact", "scar_growth_per_m = 1", "", "law = scar"},
    {"contact", "scar_decay_per_s = 1", "", "law = ground"},
    {"contact", "drag_per_s = 1", "", "law = ground"},
    {"contact", "plastic_energy_j_m2 = 9", "", "law = plastic"},
    {"contact", "friction_fast = 0.2", "", "law = speed-weakening"},
    {"contact", "weakening_speed_mps = 2", "", "law = speed-weakening"},
    {"contact", "turbulence_mps2 = 500", "", "law = speed-weakening"},
    {"contact", "friction_worn = 0.1", "", "law = slip-weakening"},
    {"contact", "weakening_slip_m = 2", "", "law = slip-weakening"},
    {"contact", "friction_fast = 0.2", "[pair.rock.ground]\nlaw = speed-weakening", ""},
    {"pair.rock.ground", "rolling_friction = 0.1", "", "law = rolling"},
    {"pair.rock.ground", "friction_max = 1", "", "law = scar"},
    {"pair.rock.ground", "scar_growth_per_m = 1", "", "law = scar"},
    {"pair.rock.ground", "scar_decay_per_s = 1", "", "law = ground"},
    {"pair.rock.ground", "drag_per_s = 1", "", "law = ground"},
    {"pair.rock.ground", "plastic_energy_j_m2 = 9", "", "law = plastic"},
    {"pair.rock.ground", "friction_fast = 0.2", "", "law = speed-weakening"},
    {"pair.rock.ground", "weakening_speed_mps = 2", "[contact]\nlaw = speed-weakening", ""},
    {"pair.rock.ground", "friction_worn = 0.1", "", "law = slip-weakening"},
    {"pair.rock.ground", "weakening_slip_m = 2", "[contact]\nlaw = slip-weakening", ""},
};

static void setting_without_what_it_needs_is_told_with_its_line(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[600], words[100];
        snprintf(text, sizeof text, "# alone\n[%s]\n%s\n", CASES[k].section, CASES[k].line);
        snprintf(words, sizeof words, "site.ini:3: [%s] %.*s has no effect here", CASES[k].section,
                 (int)strcspn(CASES[k].line, " "), CASES[k].line);
        check_fails(judge(text, NULL, NULL, NULL), TAL_BAD_SETTING, words);
        assert_int_equal(check_error.message_count, 1);
        snprintf(text, sizeof text, "%s\n[%s]\n%s\n%s\n", CASES[k].before, CASES[k].section,
                 CASES[k].line, CASES[k].after);
        check_ok(judge(text, NULL, NULL, NULL));
    }
}

// Those that a partner takes the effect from.
static const char *const CONTRADICTIONS[] = {
    "[ingest]\ncoregister = none\naccept_shift = yes\n",
    "[ingest]\ncoregister = none\nplane_dip_deg = 30\n[site]\nbefore = a.las\nafter = b.las\n",
    "[site]\nbefore = a.las\nafter = b.las\n[ingest]\nbase = a.tif\n",
    "[site]\nbefore = a.las\nafter = b.las\n[ingest]\nthickness = a.tif\n",
    "[mesh]\nfull_resolution = yes\nmesh_error_m = 0.3\n",
    "[mesh]\nblocks = voronoi\nbrick_m = 1 1 1\n",
    "[mesh]\nbrick_m = 1 1 1\nblock_count = 30\n",
    "[mesh]\nblocks = voronoi\nsize_m = 3\nblock_count = 30\n",
    "[mesh]\nblocks = import\nimport = a.obj\nstrike_deg = 30\n",
    "[mesh]\nblocks = import\nimport = a.obj\nclip = none\n",
    "[mesh]\nblocks = import\nimport = a.obj\ngap_m = 0.1\n",
    "[body.rock]\nkind = pseudo-rigid\nkinematics = small\n",
    "[contact]\nlaw = acd2\nfriction = 0.3\n",
    "[contact]\nlaw = penalty\nrestitution = 0.3\n",
    "[contact]\nlaw = coulomb\ntangential_restitution = 0.3\n",
    "[pair.rock.ground]\nlaw = coulomb\ntangential_restitution = 0.3\n",
    "[report]\nfigures = no\ngraticule = degrees\n",
    "[calibrate]\nmethod = bobyqa\nrefine = 0.3\n",
    "[vary.contact.friction]\nvalues = 0.2 0.3\nscale = log\n",
    "[vary.contact.friction]\nvalues = 0.2 0.3\nlow = 0.1\n",
};

static void setting_that_another_one_contradicts_is_told(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof CONTRADICTIONS / sizeof *CONTRADICTIONS; k++) {
        check_fails(judge(CONTRADICTIONS[k], NULL, NULL, NULL), TAL_BAD_SETTING,
                    " has no effect here: it needs ");
    }
}

// Dissipation in kg means nothing to a law that has none, and would take the rebound with it.
static void dissipation_in_kg_of_a_law_without_it_is_told(void **state) {
    (void)state;
    check_fails(judge("[contact]\nlaw = coulomb\nkn_kg = 5\nkt_kg = 5\n", NULL, NULL, NULL),
                TAL_BAD_SETTING, "site.ini:3: [contact] kn_kg has no effect here");
    assert_int_equal(check_error.message_count, 2);
}

static void body_that_does_not_say_how_it_deforms_is_told(void **state) {
    (void)state;
    check_fails(judge("[body.rock]\nkinematics = floating-frame\n", NULL, NULL, NULL),
                TAL_BAD_SETTING, "site.ini:2: [body.rock] does not say how these blocks deform");
    check_ok(judge("[body.rock]\nkind = rigid\nkinematics = floating-frame\n", NULL, NULL, NULL));
}

static void who_tries_another_law_keeps_the_numbers_of_the_first(void **state) {
    (void)state;
    const char *first = "[contact]\nlaw = speed-weakening\nfriction_fast = 0.2\n";
    check_ok(judge(first, "contact", "law", "coulomb"));
    check_ok(judge(
        "[contact]\nfriction_fast = 0.2\n[vary.contact.law]\nvalues = coulomb speed-weakening\n",
        NULL, NULL, NULL));
    check_fails(judge("[contact]\nlaw = coulomb\n", "contact", "friction_fast", "0.2"),
                TAL_BAD_SETTING,
                "--set contact.friction_fast=0.2: [contact] friction_fast has no effect");
    check_ok(judge("[mesh]\nbrick_m = 1 1 1\n", "mesh", "blocks", "voronoi"));
    check_ok(judge("[mesh]\nblock_count = 30\n", "mesh", "brick_m", "1 1 1"));
    check_ok(judge("[body.rock]\nkind = pseudo-rigid\nyoung_pa = 1e9\n[solve]\nblow_dt_s = 1e-4\n",
                   "body.rock", "kind", "rigid"));
}

// As `--print-settings` and studies write them.
static void site_that_states_every_default_is_taken(void **state) {
    (void)state;
    check_ok(judge(
        "[body.rock]\nkind = rigid\n[pair.rock.ground]\nfriction = 0.4\n[joint.1]\ndip_deg = 3\n"
        "[mesh]\nblocks = joints\n[ground.ground]\nroughness_m = 0\n",
        NULL, NULL, NULL));
    tal_text text = {0};
    tal_settings_write(settings, TAL_STAGE_ALL & ~(unsigned)TAL_STAGE_CALIBRATE, TAL_SETTINGS_PLAIN,
                       &text);
    check_ok(judge(tal_text_string(&text), NULL, NULL, NULL));
    tal_text_destroy(&text);
}

static void idle_settings_can_be_given_their_default(void **state) {
    (void)state;
    check_ok(judge("[contact]\nlaw = slip-weakening\nfriction_worn = 0.3\nfriction = "
                   "0.7\n[mesh]\nbrick_m = 1 1 1\n",
                   "contact", "law", "coulomb"));
    tal_idle_reset(settings);
    assert_true(settings->contact.friction_worn == 0.2); // core/base/settings.def
    assert_true(settings->contact.friction == 0.7);
    assert_int_equal(settings->mesh.brick_m.count, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_without_what_it_needs_is_told_with_its_line),
        cmocka_unit_test(setting_that_another_one_contradicts_is_told),
        cmocka_unit_test(dissipation_in_kg_of_a_law_without_it_is_told),
        cmocka_unit_test(body_that_does_not_say_how_it_deforms_is_told),
        cmocka_unit_test(who_tries_another_law_keeps_the_numbers_of_the_first),
        cmocka_unit_test(site_that_states_every_default_is_taken),
        cmocka_unit_test(idle_settings_can_be_given_their_default),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
