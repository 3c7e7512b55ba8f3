// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes, the record of where a result comes from, and JSON files.
#include "core/app/provenance.h"
#include "core/app/json.h"
#include "core/base/memory.h"
#include "tests/support/check.h"

// FIPS 180-2, appendix B.
static void sha256_gives_the_standard_answers(void **state) {
    (void)state;
    char text[TAL_SHA256_TEXT_SIZE];
    tal_sha256_bytes("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    tal_sha256_bytes(million, 1000000, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), "million");
    tal_output output;
    check_ok(tal_output_open(&output, path, TAL_KEEP_EXISTING, &check_error));
    tal_output_write(&output, million, 1000000);
    check_ok(tal_output_commit(&output, &check_error));
    check_ok(tal_sha256_file(path, text, &check_error));
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    check_fails(tal_sha256_file("/nonexistent", text, &check_error), TAL_NOT_FOUND, "no such file");
    free(million);
}

static void the_record_names_inputs_without_folders(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), "in.las");
    check_ok(tal_file_write_text(path, "abc", TAL_KEEP_EXISTING, &check_error));
    tal_settings *settings = tal_memory_create(1, sizeof *settings);
    tal_settings_init(settings);
    check_ok(
        tal_settings_set(settings, "site", "before", "/home/someone/b.las", "x", &check_error));
    tal_provenance *record = tal_memory_create(1, sizeof *record);
    check_ok(tal_provenance_create(record, "talus-x", settings, TAL_STAGE_INGEST, &check_error));
    check_ok(tal_provenance_add_input(record, path, &check_error));
    char *text = tal_provenance_text(record);
    assert_null(strstr(text, "/"));
    assert_non_null(strstr(text, "ba7816bf8f01cfea"));
    assert_non_null(strstr(text, "cell_m = 1"));
    assert_non_null(strstr(text, "before = b.las"));
    cJSON_free(text);
    for (int i = 1; i < TAL_PROVENANCE_INPUTS_MAX; i++) {
        check_ok(tal_provenance_add_input(record, path, &check_error));
    }
    check_fails(tal_provenance_add_input(record, path, &check_error), TAL_TOO_LARGE,
                "more than 256");
    tal_provenance_destroy(record);
    tal_memory_destroy(record);
    tal_memory_destroy(settings);
}

static void json_is_written_whole_and_read_back(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), "a.json");
    cJSON *root = cJSON_CreateObject();
    cJSON *source = cJSON_AddObjectToObject(root, "source");
    tal_json_add_number(source, "volume_m3", 0.1);
    tal_json_add_number(source, "unknown", NAN);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(source, "unknown")));
    check_ok(tal_json_write(path, root, TAL_KEEP_EXISTING, &check_error));
    cJSON_Delete(root);
    check_ok(tal_json_read(path, &root, &check_error));
    double volume = 0.0;
    check_ok(tal_json_number(root, "source.volume_m3", path, &volume, &check_error));
    assert_true(volume == 0.1);
    check_fails(tal_json_number(root, "source.unknown", path, &volume, &check_error), TAL_BAD_INPUT,
                "source.unknown is missing");
    check_fails(tal_json_number(root, "deposit.volume_m3", path, &volume, &check_error),
                TAL_BAD_INPUT, "deposit.volume_m3");
    cJSON_Delete(root);
}

static void broken_json_is_refused_with_its_line(void **state) {
    (void)state;
    char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), "b.json");
    check_ok(
        tal_file_write_text(path, "{\n\"a\": 1,\n\"b\": }\n", TAL_KEEP_EXISTING, &check_error));
    cJSON *root = NULL;
    check_fails(tal_json_read(path, &root, &check_error), TAL_BAD_INPUT,
                "b.json:3: not valid JSON");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_gives_the_standard_answers),
        cmocka_unit_test(the_record_names_inputs_without_folders),
        cmocka_unit_test(json_is_written_whole_and_read_back),
        cmocka_unit_test(broken_json_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
