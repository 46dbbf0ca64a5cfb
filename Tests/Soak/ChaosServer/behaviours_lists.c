// SPDX-License-Identifier: Apache-2.0
// Heads that say little at length: fields whose values are lists without end, and answers to CONNECT.
#define _GNU_SOURCE
#include "behaviour.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

static void write_long_field(struct exchange *exchange, const char *name, const char *unit) {
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

/// Four bytes in a record.
void connect_in_records(struct exchange *exchange) {
    stream_cork(exchange->stream, true);
    stream_print(exchange->stream, "HTTP/1.1 403 X\r\n");
    for (int field = 0; field < 4; field++) {
        stream_print(exchange->stream, "X: ");
        for (int count = 0; count < 14000; count++)
            if (!stream_write(exchange->stream, "aaaa", 4)) return;
        stream_print(exchange->stream, "\r\n");
    }
    exchange->stays = false;
}

void connect_in_chunks(struct exchange *exchange) {
    stream_print(exchange->stream, "HTTP/1.1 403 X\r\nTransfer-Encoding: chunked\r\n\r\n");
    char chunks[6 * 1000];
    for (size_t index = 0; index < sizeof chunks; index += 6) memcpy(chunks + index, "1\r\nx\r\n", 6);
    for (int count = 0; count < 60; count++)
        if (!stream_write(exchange->stream, chunks, sizeof chunks)) break;
    exchange->stays = false;
}

void connect_after_informational(struct exchange *exchange) {
    for (int count = 0; count < 31; count++) {
        stream_print(exchange->stream, "HTTP/1.1 103 X\r\n");
        write_long_field(exchange, "X-Unread", "a,");
        if (!stream_print(exchange->stream, "\r\n")) break;
    }
    exchange->stays = false;
}
