// SPDX-License-Identifier: Apache-2.0
// Errors that no client can detect, but a program that knows what it requested can: the soak must, or it is not worth
// running.
#include "behaviour.h"

void betray_bytes(struct exchange *exchange) {
    exchange_head(exchange, "");
    exchange->request->seed ^= 1;
    exchange_body(exchange, 0, exchange->request->size);
}

void betray_question(struct exchange *exchange) {
    exchange->request->nonce ^= 2;
    exchange_answer(exchange);
}

void betray_length(struct exchange *exchange) {
    uint64_t size = exchange->request->size--;
    exchange_odd_head(exchange, size, "Transfer-Encoding: chunked\r\n");
    stream_print(exchange->stream, "0\r\n\r\n");
}
