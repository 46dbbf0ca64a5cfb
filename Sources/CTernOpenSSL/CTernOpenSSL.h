// SPDX-License-Identifier: Apache-2.0
// OpenSSL's headers as one Swift module. What Swift cannot import (function-like macros, variadic functions, the
// type-safe stack macros) follows as inline functions with the prefix `tern_`; nothing here adds behaviour.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Keys

static inline EVP_PKEY *tern_EVP_RSA_gen(size_t bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *tern_EVP_EC_gen(const char *curve) { return EVP_EC_gen((char *)(uintptr_t)curve); }
static inline EVP_PKEY *tern_EVP_ED25519_gen(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

// Memory BIOs

static inline long tern_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// Stacks

static inline GENERAL_NAMES *tern_GENERAL_NAMES_new(void) { return sk_GENERAL_NAME_new_null(); }
static inline int tern_GENERAL_NAMES_push(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}
static inline int tern_GENERAL_NAMES_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline GENERAL_NAME *tern_GENERAL_NAMES_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline STACK_OF(X509) *tern_X509_stack_new(void) { return sk_X509_new_null(); }
static inline int tern_X509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline int tern_X509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *tern_X509_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
// Frees the stack, not the certificates in it.
static inline void tern_X509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }
