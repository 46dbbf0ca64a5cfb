// SPDX-License-Identifier: Apache-2.0
#include "connection.h"
#include "sealer.h"

static bool open_door(struct door *door, struct stream *stream, uint64_t draw) {
    if (!door->context) return true;
    stream->ssl = SSL_new(door->context);
    SSL_set_fd(stream->ssl, stream->fd);
    sealer_watch(stream->ssl);
    return door->shake_hands ? door->shake_hands(stream, draw) : SSL_accept(stream->ssl) == 1;
}

void connection_serve(struct door *door, int fd, uint64_t draw) {
    struct stream stream = {.fd = fd};
    struct request request;
    struct inbox inbox = {.start = 0, .end = 0};
    bool stays = open_door(door, &stream, draw);
    while (stays && request_read_head(&request, &stream, &inbox)) {
        const struct behaviour *behaviour = find_behaviour(request.behaviour);
        struct exchange exchange = {&stream, &request, &inbox, 0, true};
        if (!behaviour || !(behaviour->layers & door->layer)) break;
        if (!behaviour->takes_body && !request_read_body(&request, &stream, &inbox)) break;
        behaviour->run(&exchange);
        stays = exchange.stays && !stream.is_broken;
    }
    stream_close(&stream);
}
