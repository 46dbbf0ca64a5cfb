// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library, counts every allocation of every thread, and the system calls by which its threads wait, send and
// receive; when the process ends it writes both sums, a line each, into the file that the environment names. Freeing stays the C
// library's, and so does the work. What wakes a thread, futex(2) and eventfd(2), is not counted: how often threads meet is chance.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The C library's own names for what is replaced here; exported for this purpose, declared in no header.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_uint_fast64_t allocations, calls;

static void note(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

// Replaces a function of the C library by one that counts its calls.
#define COUNT(type, name, parameters, arguments)                              \
    type name parameters {                                                    \
        static _Atomic(void *) original;                                      \
        if (original == NULL) original = dlsym(RTLD_NEXT, #name);             \
        atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);           \
        return ((type(*) parameters)original)arguments;                       \
    }

COUNT(ssize_t, send, (int socket, const void *bytes, size_t size, int flags), (socket, bytes, size, flags))
COUNT(ssize_t, recv, (int socket, void *bytes, size_t size, int flags), (socket, bytes, size, flags))
COUNT(ssize_t, sendfile, (int to, int from, off_t *offset, size_t size), (to, from, offset, size))
COUNT(int, poll, (struct pollfd *entries, nfds_t count, int timeout), (entries, count, timeout))
COUNT(int, epoll_wait, (int epoll, struct epoll_event *events, int count, int timeout), (epoll, events, count, timeout))
COUNT(int, epoll_ctl, (int epoll, int operation, int file, struct epoll_event *event), (epoll, operation, file, event))
COUNT(int, setsockopt, (int socket, int level, int name, const void *value, socklen_t size), (socket, level, name, value, size))

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
    note();
    return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
    note();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    note();
    void *allocated = __libc_memalign(alignment, size);
    if (allocated == NULL) return ENOMEM;
    *memory = allocated;
    return 0;
}

__attribute__((destructor)) static void report(void) {
    unsigned long long sums[] = {atomic_load(&allocations), atomic_load(&calls)};
    const char *path = getenv("TERN_COUNTS_FILE");
    int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    dprintf(file, "%llu\n%llu\n", sums[0], sums[1]);
    close(file);
}
