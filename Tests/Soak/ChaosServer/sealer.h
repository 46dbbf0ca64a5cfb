// SPDX-License-Identifier: Apache-2.0
// TLS 1.3 records of our own making, for what OpenSSL would not send (RFC 8446 §5).
#pragma once
#include "stream.h"
#include <stdint.h>

enum record_type { RECORD_ALERT = 21, RECORD_DATA = 23 };

/// Before a context is used: remembers what sealing takes.
void sealer_prepare(SSL_CTX *context);
/// Before a handshake.
void sealer_watch(SSL *ssl);

/// Takes the place of OpenSSL's own records from the next one on: nothing may be written through OpenSSL any more.
struct sealer;
struct sealer *sealer_take_over(SSL *ssl);
void sealer_free(struct sealer *sealer);
/// Adds a record to `out`, which has room for `count + 32` bytes more; returns its length.
size_t sealer_seal(struct sealer *sealer, enum record_type type, const void *bytes, size_t count, uint8_t *out);
