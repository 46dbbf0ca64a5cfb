// SPDX-License-Identifier: Apache-2.0
#ifndef CTESTPROGRAMS_H
#define CTESTPROGRAMS_H

#include <stddef.h>
#include <sys/types.h>

/// Starts a program, looked for in PATH: in a session of its own, with every signal unblocked and at its default action,
/// and with no descriptor but 0, 1 and 2, which are copies of these. Returns 0, or the number of the error.
///
/// folder  Where it runs; null for the current directory.
/// input   Its standard input; -1 for /dev/null.
int tern_start_program(
    pid_t *identifier, char *const arguments[], char *const environment[], const char *folder, int input, int output,
    int errors);

/// The name of the calling thread; `name` has room for 16 bytes.
void tern_get_thread_name(char *name);

/// The number of bytes that malloc has given out and not been given back.
size_t tern_allocated_bytes(void);

#endif
