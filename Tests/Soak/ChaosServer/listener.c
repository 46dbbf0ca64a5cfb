// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "listener.h"
#include "clock.h"
#include "connection.h"
#include "pattern.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct visitor {
    struct door *door;
    int fd;
    uint64_t draw;
};

struct listener {
    struct door *door;
    int fd;
};

static void *serve(void *argument) {
    struct visitor visitor = *(struct visitor *)argument;
    free(argument);
    connection_serve(visitor.door, visitor.fd, visitor.draw);
    return NULL;
}

static void prepare(int fd) {
    // No client may keep a thread for ever.
    struct timeval limit = {.tv_sec = 20};
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void *accept_all(void *argument) {
    struct listener listener = *(struct listener *)argument;
    free(argument);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 512 * 1024);
    for (uint64_t count = 0;; count++) {
        int fd = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC);
        struct visitor *visitor = fd < 0 ? NULL : malloc(sizeof *visitor);
        if (!visitor) {
            pause_us(1000);
            continue;
        }
        prepare(fd);
        *visitor = (struct visitor){listener.door, fd, pattern_word((uint64_t)listener.door->layer, count)};
        pthread_t thread;
        if (pthread_create(&thread, &attributes, serve, visitor) != 0) {
            close(fd);
            free(visitor);
        }
    }
    return NULL;
}

int listener_start(struct door *door) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct listener *listener = malloc(sizeof *listener);
    pthread_t thread;
    if (!listener || fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 1024) != 0) return 0;
    getsockname(fd, (struct sockaddr *)&address, &length);
    *listener = (struct listener){door, fd};
    if (pthread_create(&thread, NULL, accept_all, listener) != 0) return 0;
    pthread_detach(thread);
    return ntohs(address.sin_port);
}
