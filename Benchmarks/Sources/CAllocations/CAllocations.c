// SPDX-License-Identifier: Apache-2.0
// Counts allocations where all of them pass: the `malloc` of a preloaded library takes precedence over the C library's, for
// everything in the process, the Swift runtime included. Freeing stays the C library's, and so does the work: these functions
// only count.

#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The C library's own names for what is replaced here; exported for this purpose, declared in no header.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// Laid out before the first thread starts: to reach it must not allocate.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
    count++;
    return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count++;
    void *allocated = __libc_memalign(alignment, size);
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}

uint64_t allocations_of_this_thread(void) { return count; }

bool allocations_are_counted(void) {
    // Through a pointer, for the compiler knows that the C library's `strdup` would not change `count`.
    char *(*volatile duplicate)(const char *) = strdup;
    uint64_t before = count;
    char *copy = duplicate("allocated within the C library");
    uint64_t after = count;
    free(copy);
    return after - before == 1;
}
