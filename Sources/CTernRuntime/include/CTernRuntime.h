// SPDX-License-Identifier: Apache-2.0
// The hooks of the Swift concurrency runtime through which it hands out the jobs of no executor in particular.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

/// Takes such jobs. Called on any thread, and on several at once.
typedef struct {
    /// Given to each function.
    const void *context;
    /// Runs a job.
    void (*enqueue)(const void *context, void *job);
    /// Runs a job after a delay, in nanoseconds.
    void (*enqueueAfter)(const void *context, uint64_t delay, void *job);
    /// Runs a job at an instant of a clock of the runtime: 1 counts the time that the machine is suspended, 2 does not.
    void (*enqueueAt)(const void *context, int64_t seconds, int64_t nanoseconds, int clock, void *job);
} TernGlobalExecutor;

/// Hands all jobs that are enqueued from now on to a copy of `executor`, for the rest of the process. Call it once.
void tern_set_global_executor(const TernGlobalExecutor *executor);

#pragma clang assume_nonnull end
