// SPDX-License-Identifier: GPL-3.0-or-later
// Fails the n-th allocation, write, sync and rename, for every n there is, in a piece of work that
// uses all of core/: each failure must be reported, leak nothing, and leave the old files alone.
#include "core/app/json.h"
#include "core/app/provenance.h"
#include "core/app/site_file.h"
#include "core/base/arena.h"
#include "core/base/fault.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

static char folder[TAL_PATH_SIZE];
static char site[TAL_PATH_SIZE], json[TAL_PATH_SIZE], text_file[TAL_PATH_SIZE];
static const char *const SITE_TEXT = "[site]\ncrs = local\nbefore = a.las\n    b.las\n[contact]\n"
                                     "friction = 0.5\n";

static tal_status use_arena(tal_error *err) {
    tal_arena arena;
    TAL_TRY(tal_arena_create(&arena, 4096, err));
    tal_status status = TAL_OK;
    for (int i = 0; i < 4 && status == TAL_OK; i++) {
        if (tal_arena_take(&arena, 3000, 1) == NULL) {
            status = TAL_FAIL(err, TAL_NO_MEMORY, "no memory for a chunk");
        }
    }
    tal_arena_destroy(&arena);
    return status;
}

static tal_status write_record(const tal_settings *settings, tal_error *err) {
    tal_provenance *record = NULL;
    TAL_CREATE(record, 1, "a record", err);
    cJSON *root = NULL;
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_provenance_create(record, "test", settings, TAL_STAGE_ALL, err));
    TAL_TRY_OR_DONE(tal_provenance_add_input(record, site, err));
    root = tal_provenance_json(record);
    TAL_TRY_OR_DONE(tal_json_write(json, root, TAL_REPLACE, err));
done:
    cJSON_Delete(root);
    tal_provenance_destroy(record);
    tal_memory_destroy(record);
    return status;
}

static tal_status whole_work(tal_error *err) {
    tal_settings *settings = NULL;
    TAL_CREATE(settings, 1, "settings", err);
    tal_settings_init(settings);
    tal_status status = TAL_OK;
    TAL_TRY_OR_DONE(tal_site_file_read(settings, site, 0, err));
    TAL_TRY_OR_DONE(use_arena(err));
    TAL_TRY_OR_DONE(write_record(settings, err));
    TAL_TRY_OR_DONE(tal_file_write_text(text_file, "new text", TAL_REPLACE, err));
done:
    tal_memory_destroy(settings);
    return status;
}

static void check_old_or_new(const char *path, const char *old) {
    char *bytes = NULL;
    size_t length = 0;
    check_ok(tal_file_read(path, &bytes, &length, &check_error));
    assert_true(length > 0);
    // Either the old content or a complete new one: JSON that parses, text that ends as it should.
    if (strcmp(bytes, old) != 0) {
        if (path == json) {
            cJSON *root = cJSON_Parse(bytes);
            assert_non_null(root);
            cJSON_Delete(root);
        } else {
            assert_string_equal(bytes, "new text");
        }
    }
    tal_memory_destroy(bytes);
    char part[TAL_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", path);
    assert_false(tal_file_exists(part));
}

static int fail_each(tal_fault_kind kind) {
    static tal_error err;
    for (int nth = 1; nth < 10000; nth++) {
        tal_error_reset(&err);
        tal_file_write_text(json, "{\"old\": 1}", TAL_REPLACE, &err);
        tal_file_write_text(text_file, "old text", TAL_REPLACE, &err);
        assert_int_equal(err.message_count, 0);
        tal_fault_arm(kind, nth, false);
        const tal_status status = whole_work(&err);
        const long struck = tal_fault_count();
        tal_fault_disarm();
        if (struck == 0) {
            assert_int_equal(status, TAL_OK); // every place was visited
            return nth - 1;
        }
        if (status != TAL_OK) {
            assert_true(err.message_count > 0 && err.text[0] != '\0');
        } else {
            assert_int_equal(kind, TAL_FAULT_SYNC); // only the folder's sync may fail unnoticed
        }
        check_old_or_new(json, "{\"old\": 1}");
        check_old_or_new(text_file, "old text");
    }
    fail_msg("no end of places that can fail");
    return 0;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_true(fail_each(TAL_FAULT_ALLOCATION) >= 8);
}

static void every_write_may_fail(void **state) {
    (void)state;
    assert_true(fail_each(TAL_FAULT_WRITE) >= 3);
}

static void every_sync_may_fail(void **state) {
    (void)state;
    assert_true(fail_each(TAL_FAULT_SYNC) >= 2);
}

static void every_rename_may_fail(void **state) {
    (void)state;
    assert_int_equal(fail_each(TAL_FAULT_RENAME), 2);
}

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s", check_scratch());
    tal_path_join(site, folder, "site.ini");
    tal_path_join(json, folder, "record.json");
    tal_path_join(text_file, folder, "text.txt");
    return tal_file_write_text(site, SITE_TEXT, TAL_KEEP_EXISTING, NULL) == TAL_OK ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_write_may_fail),
        cmocka_unit_test(every_sync_may_fail),
        cmocka_unit_test(every_rename_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
