// SPDX-License-Identifier: Apache-2.0
// A right 101, and then frames (RFC 6455) that cost a client as much as they can. Where it offers compression it gets it.
#include "behaviour.h"
#include "clock.h"
#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/// Whether the client still listens. For a wrong handshake, `salt` is not that of RFC 6455 §4.2.2.
static bool switch_protocols(struct exchange *exchange, const char *salt) {
    char text[128];
    unsigned char hash[SHA_DIGEST_LENGTH], accept[32];
    snprintf(text, sizeof text, "%s%s", exchange->request->key, salt);
    SHA1((unsigned char *)text, strlen(text), hash);
    EVP_EncodeBlock(accept, hash, sizeof hash);
    exchange->stays = false;
    return stream_print(
        exchange->stream,
        "HTTP/1.1 101 Switching Protocols\r\nX-Nonce: %" PRIx64 "\r\nX-Length: %" PRIu64 "\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n%s\r\n",
        exchange->request->nonce, exchange->request->size, accept,
        exchange->request->offers_deflate ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "");
}

static bool begin(struct exchange *exchange) {
    return switch_protocols(exchange, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
}

static bool take(struct exchange *exchange, void *bytes, size_t count) {
    struct inbox *inbox = exchange->inbox;
    for (char *next = bytes; count > 0;) {
        if (inbox->start == inbox->end) {
            inbox->start = inbox->end = 0;
            if (!stream_read(exchange->stream, inbox->bytes, sizeof inbox->bytes, &inbox->end)) return false;
        }
        size_t part = inbox->end - inbox->start < count ? inbox->end - inbox->start : count;
        memcpy(next, inbox->bytes + inbox->start, part);
        inbox->start += part, next += part, count -= part;
    }
    return true;
}

/// Unmasked, and otherwise as it came: what the client has compressed, it can decompress.
static bool return_payload(struct exchange *exchange, uint64_t length, const uint8_t *mask) {
    uint8_t piece[16384];
    while (length > 0) {
        size_t part = length < sizeof piece ? (size_t)length : sizeof piece;
        if (!take(exchange, piece, part)) return false;
        for (size_t index = 0; index < part; index++) piece[index] ^= mask[index % 4];
        if (!stream_write(exchange->stream, piece, part)) return false;
        length -= part;
    }
    return true;
}

void ws_echo(struct exchange *exchange) {
    uint8_t head[14];
    for (bool goes_on = begin(exchange); goes_on && take(exchange, head, 2);) {
        size_t extended = (head[1] & 127) == 127 ? 8 : (head[1] & 127) == 126 ? 2 : 0;
        if (!take(exchange, head + 2, extended + 4)) return;
        uint64_t length = extended ? 0 : head[1] & 127;
        for (size_t index = 0; index < extended; index++) length = length << 8 | head[2 + index];
        goes_on = (head[0] & 15) != 8;
        // A ping becomes a pong.
        if ((head[0] & 15) == 9) head[0] ^= 3;
        head[1] &= 127;
        goes_on &= stream_write(exchange->stream, head, 2 + extended) && return_payload(exchange, length, head + 2 + extended);
    }
    stream_finish(exchange->stream);
}

void ws_wrong_accept(struct exchange *exchange) { switch_protocols(exchange, "258EAFA5-E914-47DA-95CA-C5AB0DC85B12"); }

/// The same without end, and reads nothing.
static void flood(struct exchange *exchange, const char *unit, size_t size) {
    char bytes[16384];
    size_t filled = 0;
    for (; filled + size <= sizeof bytes; filled += size) memcpy(bytes + filled, unit, size);
    while (stream_write(exchange->stream, bytes, filled)) {}
}

static void flood_behind(struct exchange *exchange, const char *first, size_t count, const char *unit, size_t size) {
    if (begin(exchange) && stream_write(exchange->stream, first, count)) flood(exchange, unit, size);
}

void ws_pings(struct exchange *exchange) { flood_behind(exchange, "", 0, "\x89\x00", 2); }
void ws_fragments(struct exchange *exchange) { flood_behind(exchange, "\x01\x00", 2, "\x00\x00", 2); }
void ws_messages(struct exchange *exchange) { flood_behind(exchange, "\x81\x02hi", 4, "\x82\x02hi", 4); }
void ws_close_flood(struct exchange *exchange) { flood_behind(exchange, "\x88\x02\x03\xE8", 4, "\x82\x02hi", 4); }

/// The head of a frame of 2^62 bytes; it is of a compressed message if that is possible.
static bool announce(struct exchange *exchange) {
    return begin(exchange)
        && stream_write(exchange->stream, exchange->request->offers_deflate ? "\xC2" : "\x82", 1)
        && stream_write(exchange->stream, "\x7F\x40\0\0\0\0\0\0\0", 9);
}

void ws_announced(struct exchange *exchange) {
    // Empty stored blocks, a byte each millisecond.
    static const char block[] = "\0\0\0\xFF\xFF";
    announce(exchange);
    for (unsigned count = 0; stream_write(exchange->stream, block + count % 5, 1) && exchange_pause(exchange, 1000);) count++;
}

void ws_stored_blocks(struct exchange *exchange) {
    if (announce(exchange)) flood(exchange, "\0\0\0\xFF\xFF", 5);
}

void ws_dynamic_blocks(struct exchange *exchange) {
    if (announce(exchange)) flood(exchange, dynamic_block, sizeof dynamic_block);
}

/// A block of three codes: zeros, 258 of them for every two bits of zero that follow.
#define BOMB "\xEC\xC0\x81\0\0\0\0\x80\xA0\xFD\xA9\x17\xA9\0"

void ws_bomb(struct exchange *exchange) {
    if (!announce(exchange) || !stream_write(exchange->stream, BOMB, sizeof BOMB - 1)) return;
    flood(exchange, "\0", 1);
}

/// Whole messages of 200 KB, 215 bytes each as they are sent; and empty ones.
void ws_bombs(struct exchange *exchange) {
    char frame[4 + 215] = "\xC2\x7E\x00\xD7" BOMB;
    frame[sizeof frame - 1] = 6;
    flood_behind(exchange, "", 0, frame, sizeof frame);
}

void ws_compressed_nothing(struct exchange *exchange) { flood_behind(exchange, "", 0, "\xC1\x01\0", 3); }

void ws_violations(struct exchange *exchange) {
    static const struct { const char *bytes; size_t size; } violations[] = {
        {"\xA1\0", 2}, {"\x83\0", 2}, {"\x82\x7E\0\5", 4}, {"\x82\x81keysx", 7}, {"\x09\0", 2}, {"\x89\x7E\0\x7E", 4},
        {"\1\0\1\0", 4}, {"\x80\0", 2}, {"\1\1\xE2\0\1\x82\x80\1A", 9}, {"\1\1\xE2\x80\0", 5}, {"\x88\2\3\xED", 4},
        {"\x88\1\3", 3}, {"\x88\4\3\xE8\xC0\x80", 6}};
    static atomic_uint count;
    unsigned index = atomic_fetch_add(&count, 1) % (sizeof violations / sizeof violations[0]);
    flood_behind(exchange, violations[index].bytes, violations[index].size, "\x82\x02hi", 4);
}

void ws_deaf(struct exchange *exchange) {
    begin(exchange);
    for (int count = 0; count < 500 && !stream_is_left(exchange->stream); count++) pause_us(10000);
}
