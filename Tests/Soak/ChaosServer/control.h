// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The machine's own delay: asks the server at that loopback port over one blocking socket, once a millisecond, and has no part
/// in what is measured. For every line on standard input it writes `count p99 worst` since the last, in microseconds.
int control_run(int port);
