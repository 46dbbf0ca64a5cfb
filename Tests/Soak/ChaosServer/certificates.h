// SPDX-License-Identifier: Apache-2.0
// Keys and certificates, created for each run.
#pragma once
#include <openssl/x509.h>

struct chain {
    EVP_PKEY *key;
    X509 *leaf;
    STACK_OF(X509) *others;
};

/// For localhost and 127.0.0.1, signed by an authority of its own, which is the last of the others.
struct chain make_honest_chain(EVP_PKEY *key);
/// The dearest that a list of 100 KB can make for a search of a path: many issuers that look alike, and a leaf with tens
/// of thousands of names. It is not trusted.
struct chain make_path_bomb(void);
