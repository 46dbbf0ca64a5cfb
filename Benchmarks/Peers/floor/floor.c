// The floor: epoll, write, read, and nothing that a client is for.
#include "floor.h"

#include <sys/epoll.h>

enum { EVENTS = 64 };

static int epoll;

static void prepare(const char *mode, struct connection *connections, int count) {
    (void)mode;
    epoll = epoll_create1(0);
    for (int index = 0; index < count; index++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[index]};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, connections[index].descriptor, &event) != 0) fail("epoll_ctl");
    }
}

/// Whether the response is there whole.
static bool receive(struct connection *connection) {
    ssize_t count = read(connection->descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EAGAIN) return false;
    return is_whole(connection, buffer, count);
}

static void run(struct connection *connections, int count, double seconds, struct tally *tally) {
    uint64_t start = now(), deadline = start + (uint64_t)(seconds * 1e9);
    struct epoll_event events[EVENTS];
    int running = count;
    for (int index = 0; index < count; index++) begin(&connections[index], start), ask(&connections[index]);
    while (running > 0) {
        int ready = epoll_wait(epoll, events, EVENTS, -1);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!receive(connection)) continue;
            uint64_t at = now();
            note(tally, connection, at);
            if (at < deadline) begin(connection, at), ask(connection);
            else running--;
        }
    }
}
