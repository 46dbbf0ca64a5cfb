// SPDX-License-Identifier: Apache-2.0
// One thread, epoll, a buffer per connection. Nobody sends a second message before the first one is answered.

#include "CWebSocket.h"
#include "Frames.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <unistd.h>

typedef struct {
    int descriptor;
    bool is_open;
    size_t count;
    uint8_t bytes[BUFFER];
} connection;

/// Answers the handshake (RFC 6455 §4.2.2).
static bool open_connection(connection *connection) {
    static const char name[] = "Sec-WebSocket-Key: ", guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const char *key = memmem(connection->bytes, connection->count, name, sizeof name - 1);
    if (key == NULL) return false;
    char joined[64], answer[256];
    uint8_t digest[SHA_DIGEST_LENGTH], text[32];
    int length = snprintf(joined, sizeof joined, "%.24s%s", key + sizeof name - 1, guid);
    SHA1((uint8_t *)joined, (size_t)length, digest);
    EVP_EncodeBlock(text, digest, sizeof digest);
    length = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\n\r\n",
        (char *)text);
    connection->is_open = true;
    connection->count = 0;
    return send_all(connection->descriptor, (uint8_t *)answer, (size_t)length);
}

/// Sends the first bytes of the file, in the way that a web server does.
static bool send_file(connection *connection, int file, uint64_t length) {
    uint8_t header[MAX_HEADER];
    if (!send_all(connection->descriptor, header, write_header(header, BINARY, length, NULL))) return false;
    for (off_t offset = 0; (uint64_t)offset < length;) {
        ssize_t sent = sendfile(connection->descriptor, file, &offset, length - (uint64_t)offset);
        if (sent < 0 && errno == EAGAIN) wait_for_room(connection->descriptor);
        else if (sent <= 0) return false;
    }
    return true;
}

/// Sends a frame back from where it is: its own header, which has a mask, is longer than that of the answer.
static bool send_back(connection *connection, const frame_header *header, uint8_t *payload) {
    uint8_t answer[MAX_HEADER];
    size_t size = write_header(answer, header->opcode, header->length, NULL);
    memcpy(payload - size, answer, size);
    return send_all(connection->descriptor, payload - size, size + header->length);
}

/// Answers each message that is there whole. False if the connection is over.
static bool answer(connection *connection, int file) {
    frame_header header;
    size_t start = 0;
    while (read_header(connection->bytes + start, connection->count - start, &header)) {
        if (header.length > BUFFER - header.size) return false;
        if (connection->count - start < header.size + header.length) break;
        uint8_t *payload = connection->bytes + start + header.size;
        mask(payload, header.length, header.key);
        start += header.size + header.length;
        if (header.opcode == TEXT) {
            char text[24] = {0};
            memcpy(text, payload, header.length < sizeof text ? header.length : sizeof text - 1);
            if (!send_file(connection, file, strtoull(text, NULL, 10))) return false;
        } else if (!send_back(connection, &header, payload) || header.opcode == CLOSE) {
            return false;
        }
    }
    connection->count -= start;
    memmove(connection->bytes, connection->bytes + start, connection->count);
    return true;
}

/// Takes what has come. False if the connection is over.
static bool receive(connection *connection, int file) {
    ssize_t got = recv(connection->descriptor, connection->bytes + connection->count, BUFFER - connection->count, 0);
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;
    connection->count += (size_t)got;
    if (connection->is_open) return answer(connection, file);
    return memmem(connection->bytes, connection->count, "\r\n\r\n", 4) == NULL || open_connection(connection);
}

static void accept_connection(int listener, int epoll) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
    if (descriptor < 0) return;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) abort();
    connection->descriptor = descriptor;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

void web_socket_serve(int listener, int file) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[EVENTS_PER_WAIT], accepting = {.events = EPOLLIN, .data.ptr = NULL};
    fcntl(listener, F_SETFL, O_NONBLOCK);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &accepting);
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS_PER_WAIT, -1);
        for (int i = 0; i < count; i++) {
            connection *connection = events[i].data.ptr;
            if (connection == NULL) {
                accept_connection(listener, epoll);
            } else if (!receive(connection, file)) {
                // A process that is being started may have it open, too: closing alone would not stop its events.
                epoll_ctl(epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
                close(connection->descriptor);
                free(connection);
            }
        }
    }
}
