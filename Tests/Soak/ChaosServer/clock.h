// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#include <time.h>

/// CLOCK_MONOTONIC, which the client reads too: instants of both can be compared.
static inline int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void pause_us(int64_t us) {
    if (us <= 0) return;
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}
