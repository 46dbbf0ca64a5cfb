// SPDX-License-Identifier: Apache-2.0
// OpenSSL's headers as one Swift module. What Swift cannot import (function-like macros, variadic functions, the
// type-safe stack macros) follows as inline functions with the prefix `tern_`; nothing here adds behaviour.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ct.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#if !defined(OPENSSL_NO_ENGINE) && __has_include(<openssl/engine.h>)
#include <openssl/engine.h>
#define TERN_HAS_ENGINES 1
#else
typedef struct tern_no_engine ENGINE;
#endif

// Keys

static inline EVP_PKEY *tern_EVP_RSA_gen(size_t bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *tern_EVP_EC_gen(const char *curve) { return EVP_EC_gen((char *)(uintptr_t)curve); }
static inline EVP_PKEY *tern_EVP_ED25519_gen(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

// Keys that are elsewhere, by OpenSSL's engines, which it calls deprecated; NULL and 0 where it has none

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
typedef int (*tern_sign)(EVP_PKEY_CTX *context, unsigned char *signature, size_t *count, const unsigned char *digest,
                         size_t digest_count);
typedef int (*tern_find_method)(ENGINE *engine, EVP_PKEY_METHOD **method, const int **kinds, int kind);

// A copy of the public key in OpenSSL's older form, which an engine can be tied to.
static inline EVP_PKEY *tern_copy_public_key(EVP_PKEY *key) {
    EVP_PKEY *copy = EVP_PKEY_new();
    if (copy == NULL) return NULL;
    int done = 0;
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) {
        RSA *rsa = EVP_PKEY_get1_RSA(key);
        done = rsa != NULL && EVP_PKEY_set1_RSA(copy, rsa);
        RSA_free(rsa);
    } else if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) {
        EC_KEY *curve_key = EVP_PKEY_get1_EC_KEY(key);
        done = curve_key != NULL && EVP_PKEY_set1_EC_KEY(copy, curve_key);
        EC_KEY_free(curve_key);
    }
    if (done) return copy;
    EVP_PKEY_free(copy);
    return NULL;
}
static inline int tern_new_key_slot(CRYPTO_EX_free *release) {
    return CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_EVP_PKEY, 0, NULL, NULL, NULL, release);
}
#ifdef TERN_HAS_ENGINES
// The usual method of a kind of keys, but for how it signs.
static inline EVP_PKEY_METHOD *tern_new_signing_method(int kind, tern_sign sign) {
    const EVP_PKEY_METHOD *usual = EVP_PKEY_meth_find(kind);
    EVP_PKEY_METHOD *method = usual == NULL ? NULL : EVP_PKEY_meth_new(kind, 0);
    if (method == NULL) return NULL;
    EVP_PKEY_meth_copy(method, usual);
    EVP_PKEY_meth_set_sign(method, NULL, sign);
    return method;
}
static inline ENGINE *tern_new_signing_engine(tern_find_method find) {
    ENGINE *engine = ENGINE_new();
    if (engine != NULL) ENGINE_set_pkey_meths(engine, find);
    return engine;
}
static inline int tern_set_key_engine(EVP_PKEY *key, ENGINE *engine) { return EVP_PKEY_set1_engine(key, engine); }
// A key of an engine that is loaded once, and stays.
static inline EVP_PKEY *tern_load_engine_key(const char *name, const char *key, UI_METHOD *method, void *context) {
    OPENSSL_init_crypto(OPENSSL_INIT_ENGINE_DYNAMIC, NULL);
    ENGINE *engine = ENGINE_by_id(name);
    if (engine == NULL) return NULL;
    EVP_PKEY *loaded = ENGINE_init(engine) ? ENGINE_load_private_key(engine, key, method, context) : NULL;
    ENGINE_free(engine);
    return loaded;
}
#else
static inline EVP_PKEY_METHOD *tern_new_signing_method(int kind, tern_sign sign) { return NULL; }
static inline ENGINE *tern_new_signing_engine(tern_find_method find) { return NULL; }
static inline int tern_set_key_engine(EVP_PKEY *key, ENGINE *engine) { return 0; }
static inline EVP_PKEY *tern_load_engine_key(const char *name, const char *key, UI_METHOD *method, void *context) {
    return NULL;
}
#endif
#pragma clang diagnostic pop

// Memory BIOs

static inline int tern_BIO_reset(BIO *bio) { return (int)BIO_reset(bio); }
static inline long tern_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// Names

static const unsigned long tern_XN_FLAG_RFC2253 = XN_FLAG_RFC2253;

// Stacks

static inline GENERAL_NAMES *tern_GENERAL_NAMES_new(void) { return sk_GENERAL_NAME_new_null(); }
static inline int tern_GENERAL_NAMES_push(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}
static inline int tern_GENERAL_NAMES_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline GENERAL_NAME *tern_GENERAL_NAMES_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline int tern_GENERAL_SUBTREES_count(const STACK_OF(GENERAL_SUBTREE) *subtrees) {
    return sk_GENERAL_SUBTREE_num(subtrees);
}
static inline GENERAL_SUBTREE *tern_GENERAL_SUBTREES_at(const STACK_OF(GENERAL_SUBTREE) *subtrees, int index) {
    return sk_GENERAL_SUBTREE_value(subtrees, index);
}

static inline STACK_OF(X509) *tern_X509_stack_new(void) { return sk_X509_new_null(); }
static inline int tern_X509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline int tern_X509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *tern_X509_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
// Frees the stack, not the certificates in it.
static inline void tern_X509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

// Frees the stack and one reference of each certificate in it.
static inline void tern_X509_stack_release(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline int tern_X509_STORE_count(const X509_STORE *store) {
    return sk_X509_OBJECT_num(X509_STORE_get0_objects(store));
}
static inline X509 *tern_X509_STORE_at(const X509_STORE *store, int index) {
    return X509_OBJECT_get0_X509(sk_X509_OBJECT_value(X509_STORE_get0_objects(store), index));
}

static inline STACK_OF(X509_CRL) *tern_X509_CRL_stack_new(void) { return sk_X509_CRL_new_null(); }
static inline int tern_X509_CRL_stack_push(STACK_OF(X509_CRL) *stack, X509_CRL *list) {
    return sk_X509_CRL_push(stack, list);
}
// Frees the stack, not the lists in it.
static inline void tern_X509_CRL_stack_free(STACK_OF(X509_CRL) *stack) { sk_X509_CRL_free(stack); }

static inline int tern_string_stack_count(const STACK_OF(OPENSSL_STRING) *stack) {
    return sk_OPENSSL_STRING_num(stack);
}
static inline const char *tern_string_stack_at(const STACK_OF(OPENSSL_STRING) *stack, int index) {
    return sk_OPENSSL_STRING_value(stack, index);
}

static inline int tern_AUTHORITY_INFO_ACCESS_count(const AUTHORITY_INFO_ACCESS *access) {
    return sk_ACCESS_DESCRIPTION_num(access);
}
static inline ACCESS_DESCRIPTION *tern_AUTHORITY_INFO_ACCESS_at(const AUTHORITY_INFO_ACCESS *access, int index) {
    return sk_ACCESS_DESCRIPTION_value(access, index);
}

// The certificates of a signed message, or nil for another type.
static inline STACK_OF(X509) *tern_PKCS7_certificates(const PKCS7 *message) {
    return PKCS7_type_is_signed(message) && message->d.sign != NULL ? message->d.sign->cert : NULL;
}

static inline int tern_DIST_POINTS_count(const CRL_DIST_POINTS *points) { return sk_DIST_POINT_num(points); }
static inline DIST_POINT *tern_DIST_POINTS_at(const CRL_DIST_POINTS *points, int index) {
    return sk_DIST_POINT_value(points, index);
}
// The full name of a distribution point, or nil if it has none.
static inline const GENERAL_NAMES *tern_DIST_POINT_full_name(const DIST_POINT *point) {
    return point->distpoint != NULL && point->distpoint->type == 0 ? point->distpoint->name.fullname : NULL;
}

static inline int tern_SCT_stack_count(const STACK_OF(SCT) *stack) { return sk_SCT_num(stack); }
static inline SCT *tern_SCT_stack_at(const STACK_OF(SCT) *stack, int index) { return sk_SCT_value(stack, index); }

// Digests

static inline const EVP_MD *tern_EVP_get_digestbyobj(const ASN1_OBJECT *object) { return EVP_get_digestbyobj(object); }

// Contexts and sessions

static const uint64_t tern_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t tern_SSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t tern_SSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
// Not imported: it is a long.
static const uint64_t tern_OPENSSL_INIT_NO_ATEXIT = OPENSSL_INIT_NO_ATEXIT;

static inline int tern_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int tern_SSL_set_min_proto_version(SSL *ssl, int version) {
    return (int)SSL_set_min_proto_version(ssl, version);
}
static inline int tern_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void tern_SSL_CTX_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline void tern_SSL_CTX_clear_mode(SSL_CTX *context, long mode) { SSL_CTX_clear_mode(context, mode); }
static inline int tern_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}
static inline void tern_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int tern_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int tern_SSL_add1_chain_cert(SSL *ssl, X509 *certificate) {
    return (int)SSL_add1_chain_cert(ssl, certificate);
}
static inline void tern_SSL_CTX_set_max_cert_list(SSL_CTX *context, long octets) {
    SSL_CTX_set_max_cert_list(context, octets);
}
static inline int tern_SSL_set_retry_verify(SSL *ssl) { return SSL_set_retry_verify(ssl); }
static inline int tern_SSL_request_stapled_response(SSL *ssl) {
    return (int)SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
}
static inline long tern_SSL_get_stapled_response(SSL *ssl, const unsigned char **response) {
    return SSL_get_tlsext_status_ocsp_resp(ssl, response);
}
static inline void tern_SSL_CTX_set_status_callback(SSL_CTX *context, int (*callback)(SSL *, void *)) {
    SSL_CTX_set_tlsext_status_cb(context, callback);
}
// The group of the key exchange as RFC 8446 and later RFCs name it, such as x25519; NULL if there was none. A constant of
// OpenSSL's, or of its provider, which is never unloaded.
static inline const char *tern_SSL_group_name(SSL *ssl) {
    int group = (int)SSL_get_negotiated_group(ssl);
    return group == NID_undef ? NULL : SSL_group_to_name(ssl, group);
}
static inline int tern_SSL_get_peer_signature_digest(const SSL *ssl, int *digest) {
    return (int)SSL_get_peer_signature_nid((SSL *)ssl, digest);
}
static inline int tern_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// The C library's files, clock and environment, for modules that import no C library. Nil for privileged processes.

static inline const char *tern_environment(const char *name) {
    return OPENSSL_issetugid() ? NULL : getenv(name);
}
// Appends bytes to a file that is made readable for its owner only; what cannot be written is lost. It does not wait: a
// pipe without a reader cannot be written, and nor can one that is full.
static inline void tern_append_to_private_file(const char *path, const uint8_t *bytes, size_t count) {
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    int descriptor = open(path, flags, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return;
    ssize_t written = write(descriptor, bytes, count);
    (void)written;
    close(descriptor);
}
static inline void tern_at_exit(void (*function)(void)) { (void)atexit(function); }
static inline int64_t tern_unix_time(void) { return (int64_t)time(NULL); }
