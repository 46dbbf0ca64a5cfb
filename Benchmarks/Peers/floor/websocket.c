// SPDX-License-Identifier: Apache-2.0
// A WebSocket server that echoes, and the least that a client does: one thread, epoll, a buffer per connection.
//
//   websocket serve PORT                          echoes binary messages; answers a text, a decimal number, with so many bytes
//   websocket echo PORT CONNECTIONS SIZE SECONDS  sends a message on each connection, and another for each that comes back
//
// Prints the number of messages and the microseconds of processor time for each.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { bufferSize = 256 * 1024, maximumConnections = 1024 };

struct connection {
    int socket;
    bool isOpen;
    size_t count;
    uint8_t bytes[bufferSize];
    // What the server has still to send: a frame's header is before it.
    size_t unsent;
};

static struct connection *connections[65536];
static uint8_t zeros[bufferSize];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void mask(uint8_t *bytes, size_t count, uint32_t key) {
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

// Returns the size of the header.
static size_t writeHeader(uint8_t *out, uint8_t opcode, uint64_t length, const uint32_t *key) {
    size_t size = 2;
    uint8_t bit = key ? 0x80 : 0;
    out[0] = 0x80 | opcode;
    if (length < 126) {
        out[1] = bit | (uint8_t)length;
    } else if (length < 65536) {
        out[1] = bit | 126;
        out[2] = (uint8_t)(length >> 8);
        out[3] = (uint8_t)length;
        size = 4;
    } else {
        out[1] = bit | 127;
        for (int i = 0; i < 8; i++) out[2 + i] = (uint8_t)(length >> (56 - 8 * i));
        size = 10;
    }
    if (key) {
        memcpy(out + size, key, 4);
        size += 4;
    }
    return size;
}

static void sendAll(int socket, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EAGAIN) { usleep(50); continue; }
            return;
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void accepted(struct connection *c) {
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char *key = memmem(c->bytes, c->count, "Sec-WebSocket-Key: ", 19);
    if (!key) fail("no key");
    char joined[128];
    int length = snprintf(joined, sizeof joined, "%.24s%s", key + 19, guid);
    uint8_t digest[20], text[32];
    SHA1((uint8_t *)joined, (size_t)length, digest);
    EVP_EncodeBlock(text, digest, 20);
    char answer[256];
    length = snprintf(answer, sizeof answer,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", text);
    sendAll(c->socket, (uint8_t *)answer, (size_t)length);
}

// A frame at `start` of which all has come: its payload and length; 0 for none.
static size_t parse(const uint8_t *bytes, size_t count, uint8_t *opcode, size_t *header, uint64_t *length, uint32_t *key) {
    if (count < 2) return 0;
    *opcode = bytes[0] & 15;
    size_t at = 2;
    *length = bytes[1] & 127;
    if (*length == 126) {
        if (count < 4) return 0;
        *length = (uint64_t)bytes[2] << 8 | bytes[3];
        at = 4;
    } else if (*length == 127) {
        if (count < 10) return 0;
        *length = 0;
        for (int i = 0; i < 8; i++) *length = *length << 8 | bytes[2 + i];
        at = 10;
    }
    *key = 0;
    if (bytes[1] & 128) {
        if (count < at + 4) return 0;
        memcpy(key, bytes + at, 4);
        at += 4;
    }
    *header = at;
    return count >= at + *length ? at + (size_t)*length : 0;
}

static void serveBytes(struct connection *c) {
    if (!c->isOpen) {
        if (!memmem(c->bytes, c->count, "\r\n\r\n", 4)) return;
        accepted(c);
        c->isOpen = true;
        c->count = 0;
        return;
    }
    size_t start = 0, size, header;
    uint8_t opcode;
    uint64_t length;
    uint32_t key;
    static uint8_t out[bufferSize + 16];
    size_t outCount = 0;
    while ((size = parse(c->bytes + start, c->count - start, &opcode, &header, &length, &key)) > 0) {
        uint8_t *payload = c->bytes + start + header;
        mask(payload, length, key);
        if (opcode == 1) {
            char text[32] = {0};
            memcpy(text, payload, length < 31 ? length : 31);
            uint64_t wanted = strtoull(text, NULL, 10);
            uint8_t head[16];
            sendAll(c->socket, head, writeHeader(head, 2, wanted, NULL));
            for (; wanted > 0; wanted -= wanted < bufferSize ? wanted : bufferSize)
                sendAll(c->socket, zeros, wanted < bufferSize ? wanted : bufferSize);
        } else {
            if (outCount + length + 16 > sizeof out) { sendAll(c->socket, out, outCount); outCount = 0; }
            outCount += writeHeader(out + outCount, opcode, length, NULL);
            memcpy(out + outCount, payload, length);
            outCount += length;
        }
        start += size;
    }
    sendAll(c->socket, out, outCount);
    memmove(c->bytes, c->bytes + start, c->count - start);
    c->count -= start;
}

static void serve(int port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 512)) fail("listen");
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            int socket = events[i].data.fd;
            if (socket == listener) {
                int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (client < 0) continue;
                setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                connections[client] = calloc(1, sizeof(struct connection));
                connections[client]->socket = client;
                event.data.fd = client;
                epoll_ctl(epoll, EPOLL_CTL_ADD, client, &event);
                continue;
            }
            struct connection *c = connections[socket];
            ssize_t got = recv(socket, c->bytes + c->count, bufferSize - c->count, 0);
            if (got <= 0) {
                if (got < 0 && errno == EAGAIN) continue;
                close(socket);
                free(c);
                continue;
            }
            c->count += (size_t)got;
            serveBytes(c);
        }
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static uint32_t nextKey(void) {
    static uint32_t keys[64];
    static int left = 0;
    if (left == 0) {
        if (getrandom(keys, sizeof keys, 0) != sizeof keys) fail("getrandom");
        left = 64;
    }
    return keys[--left];
}

static void sendMessage(int socket, const uint8_t *payload, size_t size) {
    static uint8_t out[bufferSize];
    uint32_t key = nextKey();
    size_t header = writeHeader(out, 2, size, &key);
    memcpy(out + header, payload, size);
    mask(out + header, size, key);
    sendAll(socket, out, header + size);
}

static void echo(int port, int count, size_t size, double seconds) {
    int epoll = epoll_create1(0), one = 1;
    struct epoll_event event = {.events = EPOLLIN}, events[256];
    static uint8_t payload[bufferSize];
    for (int i = 0; i < count; i++) {
        int socket_ = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        if (connect(socket_, (struct sockaddr *)&address, sizeof address)) fail("connect");
        setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        char request[] = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        sendAll(socket_, (uint8_t *)request, sizeof request - 1);
        char answer[1024];
        if (recv(socket_, answer, sizeof answer, 0) <= 0) fail("handshake");
        connections[socket_] = calloc(1, sizeof(struct connection));
        connections[socket_]->socket = socket_;
        event.data.fd = socket_;
        epoll_ctl(epoll, EPOLL_CTL_ADD, socket_, &event);
        sendMessage(socket_, payload, size);
    }
    double warm = now() + seconds / 4, end = warm + seconds, before = 0;
    bool isWarm = false;
    uint64_t messages = 0;
    for (;;) {
        double time = now();
        if (!isWarm && time >= warm) {
            isWarm = true;
            messages = 0;
            before = cpu();
        }
        if (time >= end) break;
        int ready = epoll_wait(epoll, events, 256, 100);
        for (int i = 0; i < ready; i++) {
            struct connection *c = connections[events[i].data.fd];
            ssize_t got = recv(c->socket, c->bytes + c->count, bufferSize - c->count, MSG_DONTWAIT);
            if (got <= 0) {
                if (got < 0 && errno == EAGAIN) continue;
                fail("recv");
            }
            c->count += (size_t)got;
            size_t start = 0, whole, header;
            uint8_t opcode;
            uint64_t length;
            uint32_t key;
            while ((whole = parse(c->bytes + start, c->count - start, &opcode, &header, &length, &key)) > 0) {
                messages++;
                sendMessage(c->socket, c->bytes + start + header, length);
                start += whole;
            }
            memmove(c->bytes, c->bytes + start, c->count - start);
            c->count -= start;
        }
    }
    printf("%llu messages, %.3f us each\n", (unsigned long long)messages, (cpu() - before) * 1e6 / (double)messages);
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "serve") == 0) {
        serve(atoi(arguments[2]));
    } else if (count == 6 && strcmp(arguments[1], "echo") == 0) {
        echo(atoi(arguments[2]), atoi(arguments[3]), (size_t)atol(arguments[4]), atof(arguments[5]));
    } else {
        fprintf(stderr, "usage: websocket serve PORT | echo PORT CONNECTIONS SIZE SECONDS\n");
        return 2;
    }
    return 0;
}
