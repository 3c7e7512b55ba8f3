// SPDX-License-Identifier: GPL-3.0-or-later
// A pool of processes over the cores of this machine. Each worker is a fork that does one job; what
// is ready and comes first in the plan is started first.
#define _GNU_SOURCE
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "pipelines/engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_JOB_DONE = 0, EXIT_JOB_FAILED = 1, EXIT_JOB_INTERRUPTED = 3 };

typedef struct {
    const tal_engine *engine;
    const tal_study_folder *study;
    tal_plan *plan;
    int *heap; // jobs that are ready, the first of the plan on top
    int heap_count;
    int *first_child, *next_sibling;
    pid_t *worker; // by slot; 0: free
    int *worker_job;
    int running, ended;
    bool stopping;
    tal_progress progress;
} pool;

// --- ready jobs ---

static void heap_add(pool *p, int job) {
    int i = p->heap_count++;
    while (i > 0 && p->heap[(i - 1) / 2] > job) {
        p->heap[i] = p->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    p->heap[i] = job;
}

static int heap_take(pool *p) {
    const int top = p->heap[0], last = p->heap[--p->heap_count];
    int i = 0;
    for (int child = 1; child < p->heap_count; child = 2 * i + 1) {
        child += child + 1 < p->heap_count && p->heap[child + 1] < p->heap[child] ? 1 : 0;
        if (p->heap[child] >= last) {
            break;
        }
        p->heap[i] = p->heap[child];
        i = child;
    }
    p->heap[i] = last;
    return top;
}

// --- workers ---

static _Noreturn void work(const pool *p, const tal_job *job, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a killed study leaves no workers behind
    if (getppid() != parent) {
        _exit(EXIT_JOB_INTERRUPTED);
    }
    setpgid(0, 0); // Ctrl-C reaches the study, which tells its workers
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    static tal_error err;
    tal_error_reset(&err);
    const tal_status status = tal_job_run(p->study, job, &err);
    _exit(status == TAL_OK            ? EXIT_JOB_DONE
          : status == TAL_INTERRUPTED ? EXIT_JOB_INTERRUPTED
                                      : EXIT_JOB_FAILED);
}

static tal_status start_one(pool *p, int slot, tal_error *err) {
    const int number = heap_take(p);
    tal_job *job = &p->plan->job[number];
    const pid_t self = getpid(), child = fork();
    if (child == 0) {
        work(p, job, self);
    }
    if (child < 0) {
        heap_add(p, number);
        return TAL_FAIL(err, TAL_UNAVAILABLE, "no new process: %s", strerror(errno));
    }
    setpgid(child, child);
    job->state = TAL_JOB_RUNNING;
    p->worker[slot] = child;
    p->worker_job[slot] = number;
    p->running++;
    return TAL_OK;
}

static tal_status start_workers(pool *p, tal_error *err) {
    for (int slot = 0; slot < p->engine->worker_count && p->heap_count > 0 && !p->stopping;
         slot++) {
        if (p->worker[slot] == 0) {
            TAL_TRY(start_one(p, slot, err));
        }
    }
    return TAL_OK;
}

static void tell_failure(const pool *p, const tal_job *job) {
    char reason[1024];
    tal_job_reason(p->study, job, reason, sizeof reason);
    tal_log_warn("%s %s failed: %s", tal_chain[job->stage].name, job->key,
                 reason[0] != '\0' ? reason : "no reason is known");
}

static void fail_with_children(pool *p, int number) {
    tal_job *job = &p->plan->job[number];
    job->state = TAL_JOB_FAILED;
    p->ended++;
    if (job->stage == TAL_CHAIN_POST && p->engine->watch != NULL) {
        p->engine->watch(p->engine->context, job);
    }
    for (int child = p->first_child[number]; child >= 0; child = p->next_sibling[child]) {
        fail_with_children(p, child);
    }
}

static void end_job(pool *p, int number, int exit_status) {
    tal_job *job = &p->plan->job[number];
    const int code = WIFEXITED(exit_status) ? WEXITSTATUS(exit_status) : EXIT_JOB_INTERRUPTED;
    if (code == EXIT_JOB_DONE) {
        job->state = TAL_JOB_DONE;
        p->ended++;
        for (int child = p->first_child[number]; child >= 0; child = p->next_sibling[child]) {
            heap_add(p, child);
        }
        if (job->stage == TAL_CHAIN_POST && p->engine->watch != NULL) {
            p->engine->watch(p->engine->context, job);
        }
    } else if (code == EXIT_JOB_INTERRUPTED && p->stopping) {
        job->state = TAL_JOB_WAITING;
    } else {
        tell_failure(p, job);
        fail_with_children(p, number);
    }
    if (p->engine->label != NULL) {
        tal_progress_advance(&p->progress, p->ended);
    }
}

static void collect_workers(pool *p) {
    int exit_status = 0;
    for (pid_t child = 0; (child = waitpid(-1, &exit_status, WNOHANG)) > 0;) {
        for (int slot = 0; slot < p->engine->worker_count; slot++) {
            if (p->worker[slot] == child) {
                p->worker[slot] = 0;
                p->running--;
                end_job(p, p->worker_job[slot], exit_status);
            }
        }
    }
}

static void stop_workers(pool *p) {
    p->stopping = true;
    tal_log_info("stopping: finished runs are kept, the others continue next time");
    for (int slot = 0; slot < p->engine->worker_count; slot++) {
        if (p->worker[slot] > 0) {
            kill(-p->worker[slot], SIGTERM);
        }
    }
}

// Until a worker ends, or a moment has passed in which somebody may have pressed Ctrl-C.
static void wait_a_moment(const sigset_t *child_ended) {
    const struct timespec moment = {.tv_nsec = 200000000};
    (void)sigtimedwait(child_ended, NULL, &moment);
}

static tal_status run_pool(pool *p, tal_error *err) {
    sigset_t child_ended, before;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, &before);
    tal_status status = TAL_OK;
    while (p->running > 0 || (p->heap_count > 0 && !p->stopping)) {
        status = status == TAL_OK ? start_workers(p, err) : status;
        if (!p->stopping && (tal_interrupt_pending() || (status != TAL_OK && p->running > 0))) {
            stop_workers(p);
        } else if (status != TAL_OK && p->running == 0) {
            break;
        }
        if (p->running > 0) {
            wait_a_moment(&child_ended);
        }
        collect_workers(p);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status != TAL_OK ? status : tal_interrupt_check(err);
}

static tal_status create_pool(pool *p, tal_error *err) {
    const size_t count = (size_t)p->plan->count, slots = (size_t)p->engine->worker_count;
    TAL_CREATE(p->heap, count, "the queue of jobs", err);
    TAL_CREATE(p->first_child, count, "the queue of jobs", err);
    TAL_CREATE(p->next_sibling, count, "the queue of jobs", err);
    TAL_CREATE(p->worker, slots, "the workers", err);
    TAL_CREATE(p->worker_job, slots, "the workers", err);
    memset(p->first_child, -1, count * sizeof *p->first_child);
    for (int i = p->plan->count - 1; i >= 0; i--) {
        const int parent = p->plan->job[i].parent;
        if (parent >= 0) {
            p->next_sibling[i] = p->first_child[parent];
            p->first_child[parent] = i;
        }
    }
    for (int i = 0; i < p->plan->count; i++) {
        if (p->plan->job[i].parent < 0) {
            heap_add(p, i);
        }
    }
    return TAL_OK;
}

static void destroy_pool(pool *p) {
    tal_memory_destroy(p->heap);
    tal_memory_destroy(p->first_child);
    tal_memory_destroy(p->next_sibling);
    tal_memory_destroy(p->worker);
    tal_memory_destroy(p->worker_job);
}

tal_status tal_engine_run_local(const tal_engine *engine, const tal_study_folder *study,
                                tal_plan *plan, tal_error *err) {
    pool p = {.engine = engine, .study = study, .plan = plan};
    tal_status status = create_pool(&p, err);
    if (status == TAL_OK) {
        if (engine->label != NULL) {
            tal_progress_begin(&p.progress, engine->label, "jobs", plan->count);
        }
        status = run_pool(&p, err);
        if (engine->label != NULL) {
            tal_progress_end(&p.progress, p.ended);
        }
    }
    destroy_pool(&p);
    return status;
}
