// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "door.h"

/// Serves connections from now on, each on a thread; returns the port the kernel chose, 0 if there is none.
int listener_start(struct door *door);
