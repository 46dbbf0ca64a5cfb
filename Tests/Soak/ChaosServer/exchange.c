// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"
#include "clock.h"
#include "pattern.h"
#include <inttypes.h>
#include <stdio.h>

uint64_t exchange_draw(struct exchange *exchange, uint64_t below) {
    return below ? pattern_word(~exchange->request->nonce, exchange->draws++) % below : 0;
}

bool exchange_odd_head(struct exchange *exchange, uint64_t length, const char *framing_fields) {
    return stream_print(exchange->stream,
                        "HTTP/1.1 200 OK\r\nX-Nonce: %" PRIx64 "\r\nX-Length: %" PRIu64 "\r\n%s\r\n",
                        exchange->request->nonce, length, framing_fields);
}

bool exchange_head(struct exchange *exchange, const char *extra_fields) {
    char fields[512];
    snprintf(fields, sizeof fields, "Content-Length: %" PRIu64 "\r\n%s", exchange->request->size, extra_fields);
    return exchange_odd_head(exchange, exchange->request->size, fields);
}

bool exchange_body(struct exchange *exchange, uint64_t offset, uint64_t count) {
    if (exchange->request->is_head) return true;
    char piece[16384];
    while (count > 0) {
        size_t part = count < sizeof piece ? (size_t)count : sizeof piece;
        pattern_fill(exchange->request->seed, offset, piece, part);
        if (!stream_write(exchange->stream, piece, part)) return false;
        offset += part;
        count -= part;
    }
    return true;
}

bool exchange_answer(struct exchange *exchange) {
    return exchange_head(exchange, "") && exchange_body(exchange, 0, exchange->request->size);
}

bool exchange_pause(struct exchange *exchange, int64_t us) {
    pause_us(us % 1000);
    return !stream_has_input(exchange->stream, (int)(us / 1000));
}
