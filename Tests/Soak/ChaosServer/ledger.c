// SPDX-License-Identifier: Apache-2.0
#include "ledger.h"
#include "clock.h"
#include <pthread.h>

/// Enough for what happens between a stray and the question about it.
enum { capacity = 1 << 16 };
static struct { uint64_t mark; int64_t written; } entries[capacity];
static uint64_t next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ledger_note(uint64_t mark) {
    int64_t written = now_ns();
    pthread_mutex_lock(&lock);
    entries[next % capacity].mark = mark;
    entries[next++ % capacity].written = written;
    pthread_mutex_unlock(&lock);
}

int64_t ledger_look_up(uint64_t mark) {
    int64_t written = 0;
    pthread_mutex_lock(&lock);
    for (uint64_t back = 1; back <= next && back <= capacity && !written; back++)
        if (entries[(next - back) % capacity].mark == mark) written = entries[(next - back) % capacity].written;
    pthread_mutex_unlock(&lock);
    return written;
}
