// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "request.h"
#include "pattern.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refill(struct stream *stream, struct inbox *inbox) {
    memmove(inbox->bytes, inbox->bytes + inbox->start, inbox->end - inbox->start);
    inbox->end -= inbox->start;
    inbox->start = 0;
    size_t count;
    if (inbox->end == sizeof inbox->bytes - 1) return false;
    if (!stream_read(stream, inbox->bytes + inbox->end, sizeof inbox->bytes - 1 - inbox->end, &count)) return false;
    inbox->end += count;
    return true;
}

bool request_read_head(struct request *request, struct stream *stream, struct inbox *inbox) {
    char *end;
    while (!(end = memmem(inbox->bytes + inbox->start, inbox->end - inbox->start, "\r\n\r\n", 4)))
        if (!refill(stream, inbox)) return false;
    *end = 0;
    char *head = inbox->bytes + inbox->start;
    inbox->start = (size_t)(end + 4 - inbox->bytes);
    *request = (struct request){0};
    // A proxy is asked for BEHAVIOUR.test:PORT.
    if (sscanf(head, "CONNECT %47[^.].test:%*d", request->behaviour) == 1) {
        strcpy(request->method, "CONNECT");
        return true;
    }
    if (sscanf(head, "%15s /%47[^/]/%" SCNx64 "/%" SCNu64, request->method, request->behaviour, &request->nonce,
               &request->size) != 4)
        return false;
    request->is_head = strcmp(request->method, "HEAD") == 0;
    char *length = strcasestr(head, "\r\nContent-Length:");
    if (length) request->content_length = strtoull(length + 17, NULL, 10);
    request->seed = request->nonce;
    char *key = strcasestr(head, "\r\nSec-WebSocket-Key: ");
    if (key) sscanf(key + 21, "%31s", request->key);
    request->offers_deflate = strcasestr(head, "permessage-deflate") != NULL;
    return true;
}

bool request_read_body(struct request *request, struct stream *stream, struct inbox *inbox) {
    uint64_t left = request->content_length, hash = DIGEST_START;
    while (left > 0) {
        if (inbox->start == inbox->end && !refill(stream, inbox)) return false;
        uint64_t count = inbox->end - inbox->start < left ? inbox->end - inbox->start : left;
        hash = digest(hash, inbox->bytes + inbox->start, count);
        inbox->start += count;
        left -= count;
    }
    if (request->content_length > 0) request->seed ^= hash;
    return true;
}
