// SPDX-License-Identifier: Apache-2.0
// What breaks HTTP/1.1, and answers to requests that were not sent.
#include "behaviour.h"
#include "clock.h"
#include "ledger.h"
#include "pattern.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// The client is not told: it must detect it.
static const uint64_t never_complete = UINT64_MAX;

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

void million_header_bytes(struct exchange *exchange) {
    // In every shape: one long field, long fields, short ones. The client's limits stop each somewhere else.
    static const int lengths[] = {1000000, 60000, 1000, 8};
    int length = lengths[exchange_draw(exchange, 4)];
    char field[1024];
    memset(field, 'h', sizeof field);
    stream_print(exchange->stream, "HTTP/1.1 200 OK\r\nX-Nonce: %" PRIx64 "\r\n", exchange->request->nonce);
    for (int sent = 0; sent < 1000000; sent += length) {
        stream_print(exchange->stream, "X-%d: ", sent);
        for (int left = length; left > 0; left -= 1000)
            if (!stream_write(exchange->stream, field, left < 1000 ? (size_t)left : 1000)) break;
        if (!stream_print(exchange->stream, "\r\n")) break;
    }
    stream_print(exchange->stream, "X-Length: %" PRIu64 "\r\nContent-Length: 0\r\n\r\n", never_complete);
    exchange->stays = false;
}

/// A truthful response with about 230 KB of cookies in its head.
static void answer_with_cookies(struct exchange *exchange, void (*write)(struct exchange *)) {
    uint64_t size = exchange->request->size;
    stream_print(exchange->stream, "HTTP/1.1 200 OK\r\nX-Nonce: %" PRIx64 "\r\n", exchange->request->nonce);
    write(exchange);
    stream_print(
        exchange->stream, "X-Length: %" PRIu64 "\r\nContent-Length: %" PRIu64 "\r\n\r\n", size, size);
    exchange_body(exchange, 0, size);
}

static void write_dates(struct exchange *exchange) {
    char date[1024];
    for (size_t index = 0; index < sizeof date; index++) date[index] = index % 2 ? ',' : '1';
    for (int field = 0; field < 56; field++) {
        stream_print(exchange->stream, "Set-Cookie: a%d=b", field);
        for (int count = 0; count < 7; count++) {
            stream_print(exchange->stream, ";expires=");
            stream_write(exchange->stream, date, count % 2 ? sizeof date : 120);
        }
        for (int count = 0; count < 9; count++) stream_print(exchange->stream, ";x;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;");
        stream_print(exchange->stream, "\r\n");
    }
}

static void write_fresh(struct exchange *exchange) {
    // The client's jar has never seen them, and drops others for them. None comes back.
    int64_t time = now_ns();
    for (int field = 0; field < 240; field++)
        stream_print(
            exchange->stream, "Set-Cookie: n%" PRId64 "-%d=%0700d; Path=/elsewhere; Max-Age=1000\r\n", time, field, field);
}

void cookie_dates(struct exchange *exchange) { answer_with_cookies(exchange, write_dates); }
void fresh_cookies(struct exchange *exchange) { answer_with_cookies(exchange, write_fresh); }

void endless_informational(struct exchange *exchange) {
    for (int count = 0; count < 10000; count++)
        if (!stream_print(exchange->stream, "HTTP/1.1 103 Early Hints\r\n\r\n")) break;
    exchange->stays = false;
}

void costly_chunks(struct exchange *exchange) {
    char extension[2000];
    memset(extension, 'e', sizeof extension);
    extension[sizeof extension - 1] = 0;
    exchange_odd_head(exchange, never_complete, "Transfer-Encoding: chunked\r\n");
    for (uint64_t offset = 0; offset < 1000; offset++) {
        stream_print(exchange->stream, "1;%s\r\n", extension);
        exchange_body(exchange, offset, 1);
        if (!stream_print(exchange->stream, "\r\n")) break;
    }
    exchange->stays = false;
}

void empty_blocks(struct exchange *exchange) {
    // Deflate blocks that define 288 codes and end; empty stored blocks; empty members. They make nothing, and never end.
    static const char dynamic[] = "\x0C\x1D\x03\x40\x20\x40\x2C\xDB\xB6\x6D\xDB\xB6\x6D\xDB\xB6"
                                  "\x6D\xDB\xB6\x6D\xDB\xB6\x6D\xBB\xC7\xD9\x36\xB6\x7F";
    static const char stored[] = "\0\0\0\xFF\xFF", member[] = "\x03\0\0\0\0\0\0\0\0\0\x1F\x8B\x08\0\0\0\0\0\0\x03";
    static const struct { const char *bytes; size_t size; } blocks[] = {
        {dynamic, sizeof dynamic - 1}, {stored, sizeof stored - 1}, {member, sizeof member - 1}};
    uint64_t kind = exchange_draw(exchange, 3);
    char bytes[2800];
    size_t filled = 0;
    for (; filled + blocks[kind].size <= sizeof bytes; filled += blocks[kind].size)
        memcpy(bytes + filled, blocks[kind].bytes, blocks[kind].size);
    exchange_odd_head(exchange, never_complete, "Content-Encoding: gzip\r\nContent-Length: 2000000\r\n");
    stream_write(exchange->stream, "\x1F\x8B\x08\0\0\0\0\0\0\x03", 10);
    for (size_t sent = 10; sent < 1000000; sent += filled)
        if (!stream_write(exchange->stream, bytes, filled)) break;
    exchange->stays = false;
}

void tell_ledger(struct exchange *exchange) {
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRId64, ledger_look_up(exchange->request->nonce));
    char fields[64];
    snprintf(fields, sizeof fields, "Content-Length: %d\r\n", length);
    exchange_odd_head(exchange, (uint64_t)length, fields);
    stream_write(exchange->stream, text, (size_t)length);
}
