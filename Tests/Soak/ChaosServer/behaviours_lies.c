// SPDX-License-Identifier: Apache-2.0
// What breaks HTTP/1.1, and answers to requests that were not sent.
#include "behaviour.h"
#include "ledger.h"
#include "pattern.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void say_garbage(struct exchange *exchange) {
    char bytes[700];
    pattern_fill(exchange->request->nonce, 0, bytes, sizeof bytes);
    // A head that begins like this is none, whatever chance adds.
    if (exchange_draw(exchange, 2)) memcpy(bytes, "HTTP/1.1 2x0 ", 13);
    else bytes[0] = '\x16';
    stream_write(exchange->stream, bytes, 1 + exchange_draw(exchange, sizeof bytes));
    stream_finish(exchange->stream);
    exchange->stays = false;
}

void say_garbage_in_chunks(struct exchange *exchange) {
    static const char *const chunks[] = {"xyz\r\n", "-1\r\n", "FFFFFFFFFFFFFFFFF\r\n", "1\r\nab\r\n", "1\nb\n0\n\n", "+1\r\na\r\n", " 1\r\na\r\n"};
    exchange_odd_head(exchange, never_complete, "Transfer-Encoding: chunked\r\n");
    stream_print(exchange->stream, "%s", chunks[exchange_draw(exchange, sizeof chunks / sizeof *chunks)]);
    stream_finish(exchange->stream);
    exchange->stays = false;
}

void say_two_lengths(struct exchange *exchange) {
    static const char *const framings[] = {
        "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5, 6\r\n", "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n", "Content-Length: 5 5\r\n", "Content-Length: 99999999999999999999999\r\n",
        "Content-Length : 5\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"};
    exchange_odd_head(exchange, never_complete, framings[exchange_draw(exchange, sizeof framings / sizeof *framings)]);
    stream_print(exchange->stream, "abcdef");
    stream_finish(exchange->stream);
    exchange->stays = false;
}

void announce_more(struct exchange *exchange) {
    char fields[64];
    uint64_t more = exchange->request->size + 1 + exchange_draw(exchange, 1000);
    snprintf(fields, sizeof fields, "Content-Length: %" PRIu64 "\r\n", more);
    exchange_odd_head(exchange, more, fields);
    exchange_body(exchange, 0, exchange->request->size);
    stream_finish(exchange->stream);
    exchange->stays = false;
}

void announce_less(struct exchange *exchange) {
    char fields[64];
    uint64_t size = exchange->request->size, less = size - exchange_draw(exchange, size + 1);
    snprintf(fields, sizeof fields, "Content-Length: %" PRIu64 "\r\n", less);
    stream_cork(exchange->stream, true);
    exchange_odd_head(exchange, less, fields);
    exchange_body(exchange, 0, size + 1);
    stream_cork(exchange->stream, false);
}

void stray_bytes_behind(struct exchange *exchange) {
    static const char *const strays[] = {"\r\n", "x", "HTTP/1.1 ", "0\r\n\r\n", "\0\0\0"};
    stream_cork(exchange->stream, true);
    exchange_answer(exchange);
    stream_write(exchange->stream, strays[exchange_draw(exchange, 5)], 1 + exchange_draw(exchange, 2));
    stream_cork(exchange->stream, false);
}

/// A whole response to no request. Its mark says which: when it was in the client's socket is in the ledger.
static void forge(struct exchange *exchange) {
    uint64_t stray = exchange->request->nonce;
    stream_print(exchange->stream,
                 "HTTP/1.1 200 OK\r\nX-Forged: %" PRIx64 "\r\nContent-Length: 6\r\n\r\nFORGED", stray);
}

void stray_response_at_once(struct exchange *exchange) {
    stream_cork(exchange->stream, true);
    exchange_answer(exchange);
    forge(exchange);
    stream_cork(exchange->stream, false);
    ledger_note(exchange->request->nonce);
}

void stray_response_later(struct exchange *exchange) {
    exchange_answer(exchange);
    exchange_pause(exchange, (int64_t)exchange_draw(exchange, 30000));
    // A request that was sent already could not be distinguished from one that the stray bytes answer.
    if (stream_has_input(exchange->stream, 0)) return;
    forge(exchange);
    ledger_note(exchange->request->nonce);
}

void tell_ledger(struct exchange *exchange) {
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRId64, ledger_look_up(exchange->request->nonce));
    char fields[64];
    snprintf(fields, sizeof fields, "Content-Length: %d\r\n", length);
    exchange_odd_head(exchange, (uint64_t)length, fields);
    stream_write(exchange->stream, text, (size_t)length);
}
