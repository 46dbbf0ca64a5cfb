// SPDX-License-Identifier: Apache-2.0
// The least that a client does: masks a message with a random key, frames it, sends it, and counts the bytes of the
// answer. One thread, epoll.

#include "CWebSocket.h"
#include "Frames.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

enum { KEYS_AT_ONCE = 64, MAX_ERRORS = 1000 };

typedef struct {
    int descriptor;
    uint64_t begin;
    frame_header header;        // of the answer
    uint64_t missing;           // of the answer, once it has begun
    size_t rest_count;          // of a header that has not come whole
    uint8_t rest[MAX_HEADER];
} connection;

struct web_socket_client {
    web_socket_options options;
    int epoll;
    connection *connections;
    uint8_t *message;
    uint8_t in[BUFFER];
    uint8_t out[BUFFER];
    uint32_t keys[KEYS_AT_ONCE];
    int keys_left;
};

/// Connects and opens a WebSocket (RFC 6455 §4.1). -1 if it is refused.
static int open_connection(uint16_t port) {
    static const char request[] =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    static const char accepted[] = "HTTP/1.1 101 ";
    int descriptor = loopback_connect(port), one = 1;
    if (descriptor < 0) return -1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char answer[1024] = {0};
    // The server sends it at once, and nothing after it.
    if (!send_all(descriptor, (const uint8_t *)request, sizeof request - 1)
        || recv(descriptor, answer, sizeof answer - 1, 0) <= 0
        || strncmp(answer, accepted, sizeof accepted - 1) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

web_socket_client *web_socket_client_new(web_socket_options options) {
    web_socket_client *client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    client->options = options;
    client->options.connections = 0;
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    client->connections = calloc((size_t)options.connections, sizeof *client->connections);
    client->message = malloc(options.length);
    bool is_ready = client->epoll >= 0 && client->connections != NULL && client->message != NULL;
    if (!is_ready || options.length > BUFFER - MAX_HEADER) {
        web_socket_client_free(client);
        return NULL;
    }
    memcpy(client->message, options.message, options.length);
    for (int i = 0; i < options.connections; i++) {
        connection *connection = &client->connections[i];
        connection->descriptor = open_connection(options.port);
        if (connection->descriptor < 0) {
            web_socket_client_free(client);
            return NULL;
        }
        client->options.connections++;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(client->epoll, EPOLL_CTL_ADD, connection->descriptor, &event);
    }
    return client;
}

static uint32_t next_key(web_socket_client *client) {
    if (client->keys_left == 0) {
        if (getrandom(client->keys, sizeof client->keys, 0) != sizeof client->keys) abort();
        client->keys_left = KEYS_AT_ONCE;
    }
    return client->keys[--client->keys_left];
}

static bool ask(web_socket_client *client, connection *connection, uint64_t now) {
    uint32_t key = next_key(client);
    size_t length = client->options.length;
    size_t size = write_header(client->out, client->options.is_text ? TEXT : BINARY, length, &key);
    memcpy(client->out + size, client->message, length);
    mask(client->out + size, length, key);
    connection->begin = now;
    return send_all(connection->descriptor, client->out, size + length);
}

enum outcome { PENDING, WHOLE, LOST };

/// Counts what has come of the answer.
static enum outcome receive(web_socket_client *client, connection *connection) {
    size_t count = connection->rest_count;
    memcpy(client->in, connection->rest, count);
    ssize_t got = recv(connection->descriptor, client->in + count, BUFFER - count, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return PENDING;
    if (got <= 0) return LOST;
    count += (size_t)got;
    if (connection->missing == 0) {
        if (!read_header(client->in, count, &connection->header)) {
            memcpy(connection->rest, client->in, count);
            connection->rest_count = count;
            return PENDING;
        }
        connection->rest_count = 0;
        connection->missing = connection->header.length;
        count -= connection->header.size;
    }
    if (count > connection->missing) return LOST;
    connection->missing -= count;
    return connection->missing == 0 ? WHOLE : PENDING;
}

static void note(const web_socket_client *client, const connection *connection, uint64_t now, client_tally *tally) {
    const frame_header *header = &connection->header;
    if (header->opcode == BINARY && header->length == client->options.answer_length) {
        tally->requests++;
        tally->latencies[latency_bucket(now - connection->begin)]++;
    } else {
        tally->errors++;
    }
}

void web_socket_client_run(web_socket_client *client, uint64_t deadline, client_tally *tally) {
    int in_flight = client->options.connections;
    uint64_t now = monotonic_nanoseconds();
    for (int i = 0; i < client->options.connections; i++) {
        if (ask(client, &client->connections[i], now)) continue;
        tally->errors++;
        in_flight--;
    }
    while (in_flight > 0) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int count = epoll_wait(client->epoll, events, EVENTS_PER_WAIT, -1);
        for (int i = 0; i < count; i++) {
            connection *connection = events[i].data.ptr;
            enum outcome outcome = receive(client, connection);
            if (outcome == PENDING) continue;
            now = monotonic_nanoseconds();
            if (outcome == WHOLE) {
                note(client, connection, now, tally);
                if (now < deadline && tally->errors < MAX_ERRORS) {
                    if (ask(client, connection, now)) continue;
                    tally->errors++;
                }
            } else {
                tally->errors++;
                epoll_ctl(client->epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
            }
            in_flight--;
        }
    }
}

void web_socket_client_free(web_socket_client *client) {
    for (int i = 0; i < client->options.connections; i++) close(client->connections[i].descriptor);
    if (client->epoll >= 0) close(client->epoll);
    free(client->connections);
    free(client->message);
    free(client);
}
