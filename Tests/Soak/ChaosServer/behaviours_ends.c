// SPDX-License-Identifier: Apache-2.0
// Connections that end early, late or not at all.
#include "behaviour.h"
#include <inttypes.h>

/// How long a server stalls at most.
static const int patience_ms = 20000;

static void reset(struct exchange *exchange) {
    stream_reset(exchange->stream);
    exchange->stays = false;
}

static void finish(struct exchange *exchange) {
    if (exchange_draw(exchange, 2)) stream_finish(exchange->stream);
    else stream_finish_rudely(exchange->stream);
    exchange->stays = false;
}

static void say_half_a_head(struct exchange *exchange) {
    stream_print(exchange->stream, "HTTP/1.1 200 OK\r\nX-Nonce: %" PRIx64 "\r\nContent-Le", exchange->request->nonce);
}

/// Less than the body, whatever its size: the client must not take it for complete.
static void say_half_a_body(struct exchange *exchange) {
    uint64_t size = exchange->request->size;
    exchange->request->size = size + 1;
    exchange_head(exchange, "");
    exchange_body(exchange, 0, exchange_draw(exchange, size + 1));
}

void reset_at_once(struct exchange *exchange) { reset(exchange); }

void reset_in_head(struct exchange *exchange) {
    say_half_a_head(exchange);
    reset(exchange);
}

void reset_in_body(struct exchange *exchange) {
    say_half_a_body(exchange);
    reset(exchange);
}

void finish_at_once(struct exchange *exchange) { finish(exchange); }

void finish_in_head(struct exchange *exchange) {
    say_half_a_head(exchange);
    finish(exchange);
}

void finish_in_body(struct exchange *exchange) {
    say_half_a_body(exchange);
    finish(exchange);
}

void finish_rudely_until_close(struct exchange *exchange) {
    // Over TLS this is a body that anybody may have cut short: no length makes it complete (RFC 8446 §6.1).
    exchange_odd_head(exchange, exchange->stream->ssl ? UINT64_MAX : exchange->request->size, "");
    exchange_body(exchange, 0, exchange->request->size);
    stream_finish_rudely(exchange->stream);
    exchange->stays = false;
}

void finish_with_response(struct exchange *exchange) {
    stream_cork(exchange->stream, true);
    exchange_answer(exchange);
    stream_finish(exchange->stream);
    exchange->stays = false;
}

void finish_after_response(struct exchange *exchange) {
    exchange_answer(exchange);
    exchange_pause(exchange, (int64_t)exchange_draw(exchange, 5000));
    finish(exchange);
}

void stall_at_once(struct exchange *exchange) {
    stream_drain(exchange->stream, patience_ms);
    exchange->stays = false;
}

void stall_in_body(struct exchange *exchange) {
    say_half_a_body(exchange);
    stream_drain(exchange->stream, patience_ms);
    exchange->stays = false;
}

void refuse_body_and_reset(struct exchange *exchange) {
    stream_print(exchange->stream,
                 "HTTP/1.1 413 Content Too Large\r\nX-Nonce: %" PRIx64 "\r\nX-Length: 0\r\nContent-Length: 0\r\n\r\n",
                 exchange->request->nonce);
    exchange_pause(exchange, (int64_t)exchange_draw(exchange, 2000));
    reset(exchange);
}
