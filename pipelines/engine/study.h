// SPDX-License-Identifier: GPL-3.0-or-later
// A study folder: every run in a folder named by the hash of its resolved settings and inputs,
// earlier stages shared between runs that agree in them, one lock against a second user.
//
//   runs/KEY/           a finished run: what post-processing wrote, links to its origins
//   stages/STAGE/KEY/   finished earlier stages; each folder has finished.json, written last
//   sites/KEY/NAME.ini  the settings the runs start from, as they were when the study began
//   work/ log/ failed/  unfinished folders, words of the programs, reasons of failures
//   .cache/             what could be found out again: hashes of inputs, scores, costs
#ifndef TALUS_PIPELINES_ENGINE_STUDY_H
#define TALUS_PIPELINES_ENGINE_STUDY_H

#include "pipelines/engine/chain.h"
#include "pipelines/engine/table.h"

#include "core/app/provenance.h"
#include "core/base/file.h"

enum { TAL_KEY_SIZE = 21 }; // 80 bits of SHA-256 in hexadecimal

typedef struct {
    char path[TAL_PATH_SIZE];
    char programs[TAL_PATH_SIZE]; // folder of the stage programs
    int lock;                     // -1: none
    tal_table hashes;             // "path size date" to row of `sha256`
    char (*sha256)[TAL_SHA256_TEXT_SIZE];
    size_t hash_count, hash_capacity;
    char program_sha256[TAL_CHAIN_COUNT][TAL_SHA256_TEXT_SIZE]; // once they were asked for
} tal_study_folder;

// The folder of the stage programs: $TALUS_BIN_DIR, else that of this program.
tal_status tal_study_find_programs(char folder[TAL_PATH_SIZE], tal_error *err);

// Makes or continues a study. Refused when the folder holds something else, or when another process
// works in it (named in the message). `must_exist`: there must be one to go on with.
tal_status tal_study_open(tal_study_folder *study, const char *path, const char *program,
                          bool must_exist, tal_error *err);
// Without a lock, for a process that does a part of somebody's study.
tal_status tal_study_join(tal_study_folder *study, const char *path, tal_error *err);
void tal_study_close(tal_study_folder *study);

// study/name, or study/folder/name.
tal_status tal_study_path(const tal_study_folder *study, char path[TAL_PATH_SIZE],
                          const char *folder, const char *name, tal_error *err);
// Folder of the finished results of a stage.
tal_status tal_study_result(const tal_study_folder *study, tal_chain_stage stage, const char *key,
                            char path[TAL_PATH_SIZE], tal_error *err);
bool tal_study_is_finished(const tal_study_folder *study, tal_chain_stage stage, const char *key);

// Keys of all stages of a run: each from its settings, the hashes of the files they name and of the
// stage program, and the key of the stage before.
typedef struct {
    char text[TAL_CHAIN_COUNT][TAL_KEY_SIZE];
} tal_run_keys;
tal_status tal_study_keys(tal_study_folder *study, const tal_settings *settings, tal_run_keys *keys,
                          tal_error *err);

// Writes the settings all runs of a site share to sites/KEY/NAME and gives that path. Files are
// left out: a run names them on the command line, where paths may be long.
tal_status tal_study_keep_site(tal_study_folder *study, const tal_settings *settings,
                               char path[TAL_PATH_SIZE], tal_error *err);

// The SHA-256 of an input, remembered by path, size and date.
tal_status tal_study_hash(tal_study_folder *study, const char *path, const char **sha256,
                          tal_error *err);

// Adds a line to a file of .cache in one write, so that a kill leaves whole lines.
tal_status tal_study_note(const tal_study_folder *study, const char *name, const char *line,
                          tal_error *err);
// Hands over the whole lines of such a file, which may be changed; what a kill cut off is left out.
typedef tal_status tal_note_taker(void *context, char *line, tal_error *err);
tal_status tal_study_read_notes(const tal_study_folder *study, const char *name,
                                tal_note_taker *take, void *context, tal_error *err);

#endif
