// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CTernLinux.h"

#include <semaphore.h>
#include <time.h>

int tern_wait_for_semaphore(void *semaphore, long seconds, long nanoseconds) {
    struct timespec end = {.tv_sec = seconds, .tv_nsec = nanoseconds};
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
}
