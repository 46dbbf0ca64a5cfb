// SPDX-License-Identifier: Apache-2.0
// One connection's bytes, plain or over TLS.
#pragma once
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

struct stream {
    int fd;
    SSL *ssl;
    /// Nothing goes out or comes in any more.
    bool is_broken;
};

/// At least one byte, or false.
bool stream_read(struct stream *stream, void *buffer, size_t capacity, size_t *count);
/// All of it, or false. Over TLS it is cut into records of at most 16 KB.
bool stream_write(struct stream *stream, const void *bytes, size_t count);
bool stream_print(struct stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Whether the client has sent something, or its end, that was not read yet; waits for it up to `timeout_ms`.
bool stream_has_input(struct stream *stream, int timeout_ms);
/// Whether the client has closed.
bool stream_is_left(struct stream *stream);
/// From here on what is written waits, and leaves together with what follows, the end included.
void stream_cork(struct stream *stream, bool holds);
/// Says that nothing more will come; over TLS with close_notify.
void stream_finish(struct stream *stream);
/// As if the cable were cut behind what was sent: over TLS no close_notify.
void stream_finish_rudely(struct stream *stream);
/// RST; the client may lose even what it has received.
void stream_reset(struct stream *stream);
/// Reads and forgets until the client closes, for `timeout_ms` at most.
void stream_drain(struct stream *stream, int timeout_ms);
void stream_close(struct stream *stream);
