// SPDX-License-Identifier: Apache-2.0
// Heads and bodies that say little at length, each of which costs a client that reads on.
#include "behaviour.h"
#include "clock.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

const char dynamic_block[28] = "\x0C\x1D\x03\x40\x20\x40\x2C\xDB\xB6\x6D\xDB\xB6\x6D\xDB\xB6"
                               "\x6D\xDB\xB6\x6D\xDB\xB6\x6D\xBB\xC7\xD9\x36\xB6\x7F";

void empty_blocks(struct exchange *exchange) {
    // Dynamic blocks; empty stored blocks; empty members. They make nothing, and never end.
    static const char stored[] = "\0\0\0\xFF\xFF", member[] = "\x03\0\0\0\0\0\0\0\0\0\x1F\x8B\x08\0\0\0\0\0\0\x03";
    static const struct { const char *bytes; size_t size; } blocks[] = {
        {dynamic_block, sizeof dynamic_block}, {stored, sizeof stored - 1}, {member, sizeof member - 1}};
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

/// What a client reads, and what its value is made of.
static const struct { const char *name, *unit; } fields[] = {
    {"Vary", "aa,"}, {"Vary", "\xe9,"}, {"Cache-Control", "max-age=5,"}, {"Cache-Control", "no-cache=\"a,b\","},
    {"Connection", "a,"}, {"Keep-Alive", "timeout=5,"}, {"Content-Encoding", "identity,"}, {"Content-Encoding", ","},
    {"WWW-Authenticate", "Basic realm=a,"}, {"Authentication-Info", "nextnonce=a,"}, {"Set-Cookie", "a=b;"},
    {"Content-Range", "bytes 0-0/"}, {"Content-Type", "a/b;"}, {"Content-Disposition", "a;b=c;"},
    {"Repr-Digest", "sha-256=:AAAA:,"}, {"ETag", "\xe9"}, {"Last-Modified", "Sun, 06 Nov "}, {"Date", "Sun, 06 Nov "},
    {"Expires", "Sun-06:"}, {"Age", "1,"}, {"Retry-After", "1 "}, {"Link", "<a>; b=c,"}, {"Allow", "GET,"},
    {"Upgrade", "a,"}, {"Trailer", "a,"}, {"Accept-Ranges", "bytes,"}, {"Strict-Transport-Security", "a;"},
    {"Location", "a/../"}, {"X-Unread", "a,"}};

void write_long_field(struct exchange *exchange, const char *name, const char *unit) {
    char piece[5500];
    size_t length = strlen(unit), filled = 0;
    for (; filled + length <= sizeof piece; filled += length) memcpy(piece + filled, unit, length);
    // Four, because a line has a limit.
    for (int field = 0; field < 4; field++) {
        stream_print(exchange->stream, "%s: ", name);
        for (int count = 0; count < 10; count++) stream_write(exchange->stream, piece, filled);
        stream_print(exchange->stream, "\r\n");
    }
}

void long_fields(struct exchange *exchange) {
    static atomic_uint count;
    unsigned index = atomic_fetch_add(&count, 1) % (sizeof fields / sizeof fields[0]);
    const char *status = strcmp(fields[index].name, "WWW-Authenticate") ? "200 OK" : "401 Unauthorized";
    stream_print(exchange->stream, "HTTP/1.1 %s\r\nContent-Length: 0\r\n", status);
    write_long_field(exchange, fields[index].name, fields[index].unit);
    stream_print(exchange->stream, "\r\n");
}
