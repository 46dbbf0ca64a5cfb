// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCurlMulti.h"

/// Serves WebSockets on a socket that listens, for as long as the process lives: sends each binary message back, and
/// answers a text, which is a decimal number, with a binary message of so many bytes of the file. It receives no more
/// than 256 KB at once.
void web_socket_serve(int listener, int file);

typedef struct {
    /// Of the server, on 127.0.0.1.
    uint16_t port;
    int connections;
    /// What is sent: copied, and no longer than 256 KB with its header.
    const uint8_t *message;
    size_t length;
    bool is_text;
    /// The length of every answer, which is a binary message; another one is an error.
    uint64_t answer_length;
} web_socket_options;

typedef struct web_socket_client web_socket_client;

/// A client with open connections, on each of which it sends the message again and again. NULL if it cannot be made.
web_socket_client *web_socket_client_new(web_socket_options options);

/// Runs until no answer is missing; no message is sent after `deadline` (of `monotonic_nanoseconds`).
void web_socket_client_run(web_socket_client *client, uint64_t deadline, client_tally *tally);

void web_socket_client_free(web_socket_client *client);
