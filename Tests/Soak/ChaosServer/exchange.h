// SPDX-License-Identifier: Apache-2.0
// One request and what a behaviour needs to answer it.
#pragma once
#include "request.h"

struct exchange {
    struct stream *stream;
    struct request *request;
    struct inbox *inbox;
    /// Random numbers that depend on the nonce alone, so that a run can be repeated.
    uint64_t draws;
    /// Clear it to close the connection after the exchange.
    bool stays;
};

uint64_t exchange_draw(struct exchange *exchange, uint64_t below);

/// The head of a truthful response: marked with the request's nonce and with the length that the client must count
/// before it may call the body complete.
bool exchange_head(struct exchange *exchange, const char *extra_fields);
/// Bytes of the body, as they belong at that offset; nothing for HEAD.
bool exchange_body(struct exchange *exchange, uint64_t offset, uint64_t count);
/// Head and body as they should be.
bool exchange_answer(struct exchange *exchange);
/// A head with framing of the caller's own, marked like any other; `length` is what the client must count.
bool exchange_odd_head(struct exchange *exchange, uint64_t length, const char *framing_fields);
/// The length of a body that must not be called complete: the client is not told, and must detect it.
static const uint64_t never_complete = UINT64_MAX;
/// Whether the client still waits: sleeps, and ends early when it closes.
bool exchange_pause(struct exchange *exchange, int64_t us);
