// SPDX-License-Identifier: Apache-2.0
// Kernel interfaces that Swift's Glibc module does not carry.
#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/time_types.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/// A file without a name, in the folder that open(2) is given.
#ifdef __O_TMPFILE
static const int TERN_O_TMPFILE = __O_TMPFILE;
#else
static const int TERN_O_TMPFILE = 020000000;
#endif

/// sem_clockwait(3) of a `sem_t`, until this instant of CLOCK_MONOTONIC. glibc has it since 2.30, for those who ask for
/// extensions, and musl not at all.
int tern_wait_for_semaphore(void *semaphore, long seconds, long nanoseconds);

/// prctl(2) takes variable arguments, which Swift cannot call. The kernel keeps 15 bytes of the name.
static inline void tern_name_current_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// epoll_pwait2(2), which waits for less than a millisecond: of Linux 5.11, and in the C library only since glibc 2.35. Fails with
/// ENOSYS on older kernels. The timeout is less than a second.
static inline int tern_epoll_wait(int epoll, struct epoll_event *events, int capacity, long nanoseconds) {
#ifdef SYS_epoll_pwait2
    struct __kernel_timespec timeout = {.tv_sec = 0, .tv_nsec = nanoseconds};
    return (int)syscall(SYS_epoll_pwait2, epoll, events, capacity, &timeout, (void *)0, (size_t)0);
#else
    (void)epoll, (void)events, (void)capacity, (void)nanoseconds;
    errno = ENOSYS;
    return -1;
#endif
}
