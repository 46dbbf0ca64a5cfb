// SPDX-License-Identifier: Apache-2.0
// Frames of RFC 6455, as far as both sides of the benchmark need them.
#pragma once

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { TEXT = 1, BINARY = 2, CLOSE = 8 };
enum { BUFFER = 256 * 1024, MAX_HEADER = 14, EVENTS_PER_WAIT = 256 };

typedef struct {
    uint8_t opcode;
    size_t size;  // of the header
    uint64_t length;
    uint32_t key;  // 0 without a mask
} frame_header;

static inline void mask(uint8_t *bytes, size_t count, uint32_t key) {
    uint64_t wide = (uint64_t)key << 32 | key;
    size_t index = 0;
    for (; index + 8 <= count; index += 8) {
        uint64_t value;
        memcpy(&value, bytes + index, 8);
        value ^= wide;
        memcpy(bytes + index, &value, 8);
    }
    for (; index < count; index++) bytes[index] ^= (uint8_t)(wide >> 8 * (index & 7));
}

/// Writes the header of a whole message, whose mask is `*key` if there is one. Returns its size.
static inline size_t write_header(uint8_t *out, uint8_t opcode, uint64_t length, const uint32_t *key) {
    uint8_t bit = key != NULL ? 0x80 : 0;
    size_t size = 2, wide = length < 126 ? 0 : length < 65536 ? 2 : 8;
    out[0] = 0x80 | opcode;
    out[1] = bit | (uint8_t)(wide == 0 ? length : wide == 2 ? 126 : 127);
    for (; wide > 0; wide--) out[size++] = (uint8_t)(length >> 8 * (wide - 1));
    if (key == NULL) return size;
    memcpy(out + size, key, 4);
    return size + 4;
}

/// Whether a whole header is there.
static inline bool read_header(const uint8_t *bytes, size_t count, frame_header *header) {
    if (count < 2) return false;
    size_t wide = (bytes[1] & 127) < 126 ? 0 : (bytes[1] & 127) == 126 ? 2 : 8, key = bytes[1] & 128 ? 4 : 0;
    if (count < 2 + wide + key) return false;
    *header = (frame_header){.opcode = bytes[0] & 15, .size = 2 + wide + key, .length = wide == 0 ? bytes[1] & 127 : 0};
    for (size_t index = 0; index < wide; index++) header->length = header->length << 8 | bytes[2 + index];
    memcpy(&header->key, bytes + 2 + wide, key);
    return true;
}

static inline void wait_for_room(int descriptor) {
    struct pollfd room = {.fd = descriptor, .events = POLLOUT};
    poll(&room, 1, -1);
}

/// Waits for room. False if the connection is lost.
static inline bool send_all(int descriptor, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            wait_for_room(descriptor);
        } else if (sent < 0) {
            return false;
        } else {
            bytes += sent;
            count -= (size_t)sent;
        }
    }
    return true;
}
