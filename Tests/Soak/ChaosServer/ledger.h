// SPDX-License-Identifier: Apache-2.0
// When each unrequested response was in the client's socket: the client's clock shows whether a request came before or
// after.
#pragma once
#include <stdint.h>

/// The stray with this mark has just been written.
void ledger_note(uint64_t mark);
/// CLOCK_MONOTONIC in nanoseconds; 0 if it is not known.
int64_t ledger_look_up(uint64_t mark);
