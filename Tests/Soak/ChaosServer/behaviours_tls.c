// SPDX-License-Identifier: Apache-2.0
// Half a response, and then work for the client's TLS that never becomes a byte of the other half.
#include "behaviour.h"
#include "clock.h"
#include "pattern.h"
#include "sealer.h"
#include <stdbool.h>

static int64_t begin(struct exchange *exchange) {
    uint64_t ms = exchange->request->size;
    exchange->request->size = 1 << 20;
    exchange_head(exchange, "");
    exchange_body(exchange, 0, 1000);
    exchange->stays = false;
    return ms == 0 ? INT64_MAX : now_ns() + (int64_t)ms * 1000000;
}

/// Sends what `prepare` makes due, reads nothing, and stops when the client is gone or time is up.
static void flood(struct exchange *exchange, int (*prepare)(SSL *)) {
    int64_t end = begin(exchange);
    SSL *ssl = exchange->stream->ssl;
    for (unsigned count = 0; now_ns() < end; count++) {
        if (prepare(ssl) != 1 || SSL_do_handshake(ssl) != 1) break;
        // OpenSSL continues without an error if the other end has gone.
        if (count % 64 == 0 && stream_is_left(exchange->stream)) break;
    }
    exchange->stream->is_broken = true;
}

static int ask_for_key_update(SSL *ssl) { return SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED); }

void flood_key_updates(struct exchange *exchange) { flood(exchange, ask_for_key_update); }
void flood_tickets(struct exchange *exchange) { flood(exchange, SSL_new_session_ticket); }
void flood_hello_requests(struct exchange *exchange) { flood(exchange, SSL_renegotiate); }

void flood_one_byte_records(struct exchange *exchange) {
    int64_t end = begin(exchange);
    // Corked: the kernel makes full packets of them, which is what costs the client most.
    stream_cork(exchange->stream, true);
    for (uint64_t offset = 1000; offset < exchange->request->size && now_ns() < end; offset++)
        if (!exchange_body(exchange, offset, 1)) return;
}

/// Records that carry nothing, and as few bytes between them as make a client start counting again: OpenSSL takes 32 empty records in a
/// row, and 5 warnings.
static void flood_with(struct exchange *exchange, enum record_type type, const char *nothing, size_t size, int in_a_row) {
    int64_t end = begin(exchange);
    struct stream plain = {.fd = exchange->stream->fd};
    struct sealer *sealer = sealer_take_over(exchange->stream->ssl);
    uint8_t records[64 * 64], byte;
    for (uint64_t offset = 1000; sealer && offset < exchange->request->size && now_ns() < end; offset++) {
        size_t length = 0;
        for (int count = 0; count < in_a_row; count++)
            length += sealer_seal(sealer, type, nothing, size, records + length);
        pattern_fill(exchange->request->seed, offset, &byte, 1);
        length += sealer_seal(sealer, RECORD_DATA, &byte, 1, records + length);
        if (!stream_write(&plain, records, length)) break;
    }
    if (sealer) sealer_free(sealer);
    exchange->stream->is_broken = true;
}

void flood_empty_records(struct exchange *exchange) { flood_with(exchange, RECORD_DATA, "", 0, 30); }
void flood_warnings(struct exchange *exchange) { flood_with(exchange, RECORD_ALERT, "\x01\x5a", 2, 4); }
