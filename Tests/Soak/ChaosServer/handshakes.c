// SPDX-License-Identifier: Apache-2.0
// Handshakes as OpenSSL would not do them.
#include "door.h"
#include "clock.h"
#include "pattern.h"
#include <pthread.h>
#include <string.h>

static BIO_METHOD *slow_method;

static int write_slowly(BIO *bio, const char *bytes, int count) {
    int fd = (int)(intptr_t)BIO_get_data(bio);
    struct stream plain = {.fd = fd};
    for (int sent = 0; sent < count; sent++) {
        // The first bytes one at a time, for the headers' sake.
        int part = sent < 64 ? 1 : count - sent;
        if (!stream_write(&plain, bytes + sent, (size_t)part)) return -1;
        sent += part - 1;
        pause_us(300);
    }
    return count;
}

static long control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static void make_slow_method(void) {
    slow_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "slow");
    BIO_meth_set_write(slow_method, write_slowly);
    BIO_meth_set_ctrl(slow_method, control);
}

bool shake_hands_slowly(struct stream *stream, uint64_t draw) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_slow_method);
    pause_us((int64_t)(draw % 100000));
    BIO *slow = BIO_new(slow_method);
    BIO_set_data(slow, (void *)(intptr_t)stream->fd);
    BIO_set_init(slow, 1);
    SSL_set0_wbio(stream->ssl, slow);
    bool is_done = SSL_accept(stream->ssl) == 1;
    SSL_set0_wbio(stream->ssl, BIO_new_socket(stream->fd, BIO_NOCLOSE));
    return is_done;
}

bool shake_hands_wrongly(struct stream *stream, uint64_t draw) {
    static const char alert[] = {0x15, 3, 3, 0, 2, 2, 40}, half_a_hello[] = {0x16, 3, 3, 0, 90, 2, 0, 0, 86, 3, 3};
    static const char warnings[] = {0x15, 3, 3, 0, 2, 1, 112};
    static const char plain[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    struct stream under = {.fd = stream->fd};
    char garbage[3000];
    switch (draw % 8) {
    case 0: return false;
    case 1: stream_reset(&under); return false;
    case 2: stream_write(&under, alert, sizeof alert); break;
    case 3: stream_write(&under, half_a_hello, sizeof half_a_hello); break;
    case 4: stream_write(&under, plain, sizeof plain - 1); break;
    case 5:
        for (int count = 0; count < 2000; count++) stream_write(&under, warnings, sizeof warnings);
        break;
    case 6:
        pattern_fill(draw, 0, garbage, sizeof garbage);
        stream_write(&under, garbage, sizeof garbage);
        break;
    default: return SSL_accept(stream->ssl) == 1;
    }
    stream_drain(&under, (int)(draw / 8 % 300));
    return false;
}
