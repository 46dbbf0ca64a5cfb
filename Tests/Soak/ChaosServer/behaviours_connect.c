// SPDX-License-Identifier: Apache-2.0
// Answers of a proxy to CONNECT, which cost a client as much as they can.
#include "behaviour.h"
#include <string.h>

/// Four bytes in a record.
void connect_in_records(struct exchange *exchange) {
    stream_cork(exchange->stream, true);
    stream_print(exchange->stream, "HTTP/1.1 403 X\r\n");
    for (int field = 0; field < 4; field++) {
        stream_print(exchange->stream, "X: ");
        for (int count = 0; count < 14000; count++)
            if (!stream_write(exchange->stream, "aaaa", 4)) return;
        stream_print(exchange->stream, "\r\n");
    }
    exchange->stays = false;
}

void connect_in_chunks(struct exchange *exchange) {
    stream_print(exchange->stream, "HTTP/1.1 403 X\r\nTransfer-Encoding: chunked\r\n\r\n");
    char chunks[6 * 1000];
    for (size_t index = 0; index < sizeof chunks; index += 6) memcpy(chunks + index, "1\r\nx\r\n", 6);
    for (int count = 0; count < 60; count++)
        if (!stream_write(exchange->stream, chunks, sizeof chunks)) break;
    exchange->stays = false;
}

void connect_after_informational(struct exchange *exchange) {
    for (int count = 0; count < 31; count++) {
        stream_print(exchange->stream, "HTTP/1.1 103 X\r\n");
        write_long_field(exchange, "X-Unread", "a,");
        if (!stream_print(exchange->stream, "\r\n")) break;
    }
    exchange->stays = false;
}
