// SPDX-License-Identifier: Apache-2.0
// `METHOD /behaviour/nonce/size`, or `CONNECT behaviour.test:port`, and a body that the response's depends on.
#pragma once
#include "stream.h"
#include <stdint.h>

struct request {
    char method[16];
    char behaviour[48];
    /// Chosen by the client, unlike any other of its run.
    uint64_t nonce;
    /// How many bytes it wants.
    uint64_t size;
    /// Of the body that came with it.
    uint64_t content_length;
    /// Where the bytes of the response begin: depends on the nonce and on every byte of the request's body.
    uint64_t seed;
    bool is_head;
    /// Of a WebSocket's handshake.
    char key[32];
    bool offers_deflate;
};

/// What was read from a connection and not used yet.
struct inbox {
    char bytes[16384];
    size_t start, end;
};

/// The head; false when the client has closed or says something we do not understand.
bool request_read_head(struct request *request, struct stream *stream, struct inbox *inbox);
/// The body, into `seed`.
bool request_read_body(struct request *request, struct stream *stream, struct inbox *inbox);
