// SPDX-License-Identifier: Apache-2.0
// Responses that a client must understand.
#include "behaviour.h"
#include "pattern.h"
#include <inttypes.h>
#include <stdio.h>

void answer_well(struct exchange *exchange) { exchange_answer(exchange); }

void answer_in_chunks(struct exchange *exchange) {
    struct stream *stream = exchange->stream;
    uint64_t size = exchange->request->size, offset = 0;
    exchange_odd_head(exchange, size, "Transfer-Encoding: chunked\r\nTrailer: X-After\r\n");
    if (exchange->request->is_head) return;
    while (offset < size && !stream->is_broken) {
        uint64_t chunk = 1 + exchange_draw(exchange, size - offset < 9000 ? size - offset : 9000);
        stream_print(stream, "%" PRIx64 "%s\r\n", chunk, exchange_draw(exchange, 4) ? "" : ";why=not");
        exchange_body(exchange, offset, chunk);
        stream_print(stream, "\r\n");
        offset += chunk;
    }
    stream_print(stream, exchange_draw(exchange, 2) ? "0\r\n\r\n" : "0\r\nX-After: all\r\n\r\n");
}

void answer_until_close(struct exchange *exchange) {
    exchange_odd_head(exchange, exchange->request->size, "");
    exchange_body(exchange, 0, exchange->request->size);
    stream_finish(exchange->stream);
    exchange->stays = false;
}

void answer_in_pieces(struct exchange *exchange) {
    struct request *request = exchange->request;
    char bytes[8192];
    uint64_t size = request->size = request->size < 6000 ? request->size : 6000;
    size_t length = (size_t)snprintf(
        bytes, sizeof bytes,
        "HTTP/1.1 200 OK\r\nX-Nonce: %" PRIx64 "\r\nX-Length: %" PRIu64 "\r\nContent-Length: %" PRIu64 "\r\n\r\n",
        request->nonce, size, size);
    if (!request->is_head) {
        pattern_fill(request->seed, 0, bytes + length, size);
        length += size;
    }
    for (size_t offset = 0; offset < length && !exchange->stream->is_broken;) {
        size_t count = 1 + exchange_draw(exchange, length - offset < 900 ? length - offset : 900);
        stream_write(exchange->stream, bytes + offset, count);
        offset += count;
        if (exchange_draw(exchange, 4) == 0) exchange_pause(exchange, 300);
    }
}

void answer_in_drips(struct exchange *exchange) {
    uint64_t size = exchange->request->size;
    exchange_head(exchange, "");
    for (uint64_t offset = 0; offset < size; offset++) {
        // The first bytes separately, then the rest at once: enough to find code that cannot wait, and soon over.
        uint64_t count = offset < 200 ? 1 : size - offset;
        if (!exchange_body(exchange, offset, count)) return;
        offset += count - 1;
        if (exchange_draw(exchange, 16) == 0 && !exchange_pause(exchange, 500)) return;
    }
}

void answer_late(struct exchange *exchange) {
    if (exchange_pause(exchange, (int64_t)exchange_draw(exchange, 200000))) exchange_answer(exchange);
}

void answer_after_informational(struct exchange *exchange) {
    static const char *const heads[] = {
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n",
        "HTTP/1.1 102 \r\n\r\n"};
    for (uint64_t count = exchange_draw(exchange, 24); count > 0; count--)
        stream_print(exchange->stream, "%s", heads[exchange_draw(exchange, 3)]);
    exchange_answer(exchange);
}

void answer_without_body(struct exchange *exchange) {
    stream_print(exchange->stream, "HTTP/1.1 %s\r\nX-Nonce: %" PRIx64 "\r\nX-Length: 0\r\n\r\n",
                 exchange_draw(exchange, 2) ? "204 No Content" : "304 Not Modified", exchange->request->nonce);
}

void answer_and_announce_close(struct exchange *exchange) {
    exchange_head(exchange, "Connection: close\r\n");
    exchange_body(exchange, 0, exchange->request->size);
    stream_finish(exchange->stream);
    exchange->stays = false;
}
