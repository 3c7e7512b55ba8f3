// SPDX-License-Identifier: GPL-3.0-or-later
// How the address sanitizer runs in fuzzers: memory that was freed is kept from use for some executions rather
// than for thousands, and call stacks are short. Else it takes most of the time. HDF5 asks for as much memory as a
// damaged file says, and is told that there is none, as elsewhere.
const char *__asan_default_options(void);

const char *__asan_default_options(void) {
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=2:"
           "max_malloc_fill_size=64"
#ifdef TALUS_WATCHED
           ":allocator_may_return_null=1"
#endif
        ;
}
