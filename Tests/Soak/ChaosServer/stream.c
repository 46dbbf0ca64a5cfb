// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "stream.h"
#include "clock.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

bool stream_read(struct stream *stream, void *buffer, size_t capacity, size_t *count) {
    if (stream->is_broken) return false;
    if (stream->ssl) {
        if (SSL_read_ex(stream->ssl, buffer, capacity, count) == 1) return true;
    } else {
        ssize_t received = recv(stream->fd, buffer, capacity, 0);
        if (received > 0) return *count = (size_t)received, true;
    }
    stream->is_broken = true;
    return false;
}

bool stream_write(struct stream *stream, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        if (stream->is_broken) return false;
        size_t written = 0;
        if (stream->ssl) {
            if (SSL_write_ex(stream->ssl, next, count, &written) != 1) stream->is_broken = true;
        } else {
            ssize_t sent = send(stream->fd, next, count, MSG_NOSIGNAL);
            if (sent <= 0) stream->is_broken = true;
            else written = (size_t)sent;
        }
        next += written;
        count -= written;
    }
    return !stream->is_broken;
}

bool stream_print(struct stream *stream, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length > 0 && (size_t)length < sizeof text && stream_write(stream, text, (size_t)length);
}

bool stream_has_input(struct stream *stream, int timeout_ms) {
    if (stream->is_broken || (stream->ssl && SSL_has_pending(stream->ssl))) return true;
    struct pollfd wanted = {.fd = stream->fd, .events = POLLIN | POLLRDHUP};
    return poll(&wanted, 1, timeout_ms) != 0;
}

bool stream_is_left(struct stream *stream) {
    struct pollfd wanted = {.fd = stream->fd, .events = POLLRDHUP};
    return poll(&wanted, 1, 0) > 0;
}

void stream_cork(struct stream *stream, bool holds) {
    int value = holds;
    setsockopt(stream->fd, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

void stream_finish(struct stream *stream) {
    if (stream->ssl && !stream->is_broken) SSL_shutdown(stream->ssl);
    stream_finish_rudely(stream);
}

void stream_finish_rudely(struct stream *stream) { shutdown(stream->fd, SHUT_WR); }

void stream_reset(struct stream *stream) {
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    stream->is_broken = true;
}

void stream_drain(struct stream *stream, int timeout_ms) {
    int64_t end = now_ns() + (int64_t)timeout_ms * 1000000;
    char rest[16384];
    struct pollfd wanted = {.fd = stream->fd, .events = POLLIN};
    while (now_ns() < end && poll(&wanted, 1, (int)((end - now_ns()) / 1000000) + 1) > 0)
        if (recv(stream->fd, rest, sizeof rest, 0) <= 0) break;
    stream->is_broken = true;
}

void stream_close(struct stream *stream) {
    // Without a comment here: the behaviour describes the expected error.
    if (stream->ssl) SSL_free(stream->ssl);
    close(stream->fd);
}
