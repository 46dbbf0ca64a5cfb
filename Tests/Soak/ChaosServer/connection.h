// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "door.h"

/// Answers one request after another, as each of them asks to be treated, and closes the socket.
void connection_serve(struct door *door, int fd, uint64_t draw);
