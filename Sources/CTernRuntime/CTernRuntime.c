// SPDX-License-Identifier: Apache-2.0
// In C, because the hooks have Swift's calling convention, which a function pointer in Swift cannot have.
#include "CTernRuntime.h"

#include <stdatomic.h>

#define SWIFT __attribute__((swiftcall))

// As in the runtime: each hook is given the function that it replaces as well.
typedef SWIFT void (*Enqueue)(void *job);
typedef SWIFT void (*EnqueueAfter)(unsigned long long delay, void *job);
typedef SWIFT void (*EnqueueAt)(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock,
    void *job);

extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, Enqueue original);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(
    unsigned long long delay, void *job, EnqueueAfter original);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock,
    void *job, EnqueueAt original);

static TernGlobalExecutor given;
/// Null until `given` is complete.
static _Atomic(const TernGlobalExecutor *) current;

static inline const TernGlobalExecutor *executor(void) { return atomic_load_explicit(&current, memory_order_acquire); }

static SWIFT void enqueue(void *job, Enqueue original) {
    (void)original;
    const TernGlobalExecutor *to = executor();
    to->enqueue(to->context, job);
}

static SWIFT void enqueueAfter(unsigned long long delay, void *job, EnqueueAfter original) {
    (void)original;
    const TernGlobalExecutor *to = executor();
    to->enqueueAfter(to->context, delay, job);
}

static SWIFT void enqueueAt(
    long long seconds, long long nanoseconds, long long toleranceSeconds, long long toleranceNanoseconds, int clock,
    void *job, EnqueueAt original) {
    (void)toleranceSeconds;
    (void)toleranceNanoseconds;
    (void)original;
    const TernGlobalExecutor *to = executor();
    to->enqueueAt(to->context, seconds, nanoseconds, clock, job);
}

void tern_set_global_executor(const TernGlobalExecutor *executor) {
    given = *executor;
    atomic_store_explicit(&current, &given, memory_order_release);
    // After the executor: a thread that enqueues at this moment finds it.
    __atomic_store_n(&swift_task_enqueueGlobalWithDeadline_hook, &enqueueAt, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobalWithDelay_hook, &enqueueAfter, __ATOMIC_RELEASE);
    __atomic_store_n(&swift_task_enqueueGlobal_hook, &enqueue, __ATOMIC_RELEASE);
}
