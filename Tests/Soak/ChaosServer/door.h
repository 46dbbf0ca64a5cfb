// SPDX-License-Identifier: Apache-2.0
// Where clients connect: a door decides what happens before the first request can be read.
#pragma once
#include "behaviour.h"
#include "certificates.h"

struct door {
    const char *name;
    enum layer layer;
    SSL_CTX *(*make_context)(const struct chain *honest);
    /// Handshakes by hand; NULL is OpenSSL's. False ends the connection.
    bool (*shake_hands)(struct stream *, uint64_t draw);
    SSL_CTX *context;
};

/// All of them; the first is the one a neighbour has. Ends with an entry without a name.
extern struct door doors[];

SSL_CTX *make_modern_context(const struct chain *honest);
SSL_CTX *make_tls12_context(const struct chain *honest);
SSL_CTX *make_huge_modulus_context(const struct chain *honest);
SSL_CTX *make_path_bomb_context(const struct chain *honest);

bool shake_hands_slowly(struct stream *, uint64_t draw);
bool shake_hands_wrongly(struct stream *, uint64_t draw);
