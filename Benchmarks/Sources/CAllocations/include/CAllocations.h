// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// How many allocations this thread has made so far: calls of malloc, calloc, realloc, and of those that align.
uint64_t allocations_of_this_thread(void);

/// Whether one allocation in another library counts as exactly one.
bool allocations_are_counted(void);
