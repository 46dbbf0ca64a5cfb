// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CTernLinux.h"

#include <semaphore.h>
#include <time.h>

int tern_wait_for_semaphore(void *semaphore, long seconds, long nanoseconds) {
    struct timespec end = {.tv_sec = seconds, .tv_nsec = nanoseconds};
#ifdef __GLIBC__
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
#else
    // musl has it not: the rest of the time by the other clock, which someone may set meanwhile.
    struct timespec now, real;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_REALTIME, &real);
    end.tv_sec += real.tv_sec - now.tv_sec;
    end.tv_nsec += real.tv_nsec - now.tv_nsec;
    if (end.tv_nsec < 0) {
        end.tv_nsec += 1000000000;
        end.tv_sec -= 1;
    } else if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec += 1;
    }
    return sem_timedwait(semaphore, &end);
#endif
}
