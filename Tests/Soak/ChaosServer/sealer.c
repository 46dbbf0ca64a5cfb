// SPDX-License-Identifier: Apache-2.0
#include "sealer.h"
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// The server's secret, and how many records have been sealed with it.
struct watch {
    uint8_t secret[32];
    bool has_secret;
    uint64_t records;
};

struct sealer {
    EVP_CIPHER_CTX *cipher;
    uint8_t iv[12];
    uint64_t sequence;
};

static int watch_index = -1;

static void free_watch(void *parent, void *watch, CRYPTO_EX_DATA *data, int index, long number, void *pointer) {
    (void)parent, (void)data, (void)index, (void)number, (void)pointer;
    free(watch);
}

static void choose_index(void) { watch_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_watch); }

static void note_secret(const SSL *ssl, const char *line) {
    struct watch *watch = SSL_get_ex_data(ssl, watch_index);
    const char *secret = strrchr(line, ' ');
    if (!watch || !secret || strncmp(line, "SERVER_TRAFFIC_SECRET_0 ", 24) != 0 || strlen(secret + 1) != 64) return;
    size_t length;
    OPENSSL_hexstr2buf_ex(watch->secret, sizeof watch->secret, &length, secret + 1, 0);
    watch->has_secret = true;
    watch->records = 0;
}

static void count_records(int is_written, int version, int type, const void *bytes, size_t count, SSL *ssl, void *watch) {
    (void)version, (void)count, (void)ssl;
    if (is_written && type == SSL3_RT_HEADER && *(const uint8_t *)bytes == RECORD_DATA) ((struct watch *)watch)->records++;
}

void sealer_prepare(SSL_CTX *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose_index);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_keylog_callback(context, note_secret);
}

void sealer_watch(SSL *ssl) {
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch || watch_index < 0) return free(watch);
    SSL_set_ex_data(ssl, watch_index, watch);
    SSL_set_msg_callback(ssl, count_records);
    SSL_set_msg_callback_arg(ssl, watch);
}

/// HKDF-Expand-Label (RFC 8446 §7.1).
static void expand(const uint8_t *secret, char *label, uint8_t *out, size_t length) {
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "TLS13-KDF", NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, 32),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PREFIX, "tls13 ", 6),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_LABEL, label, strlen(label)),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_derive(context, out, length, parameters);
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
}

struct sealer *sealer_take_over(SSL *ssl) {
    struct watch *watch = watch_index < 0 ? NULL : SSL_get_ex_data(ssl, watch_index);
    struct sealer *sealer = watch && watch->has_secret ? calloc(1, sizeof *sealer) : NULL;
    if (!sealer) return NULL;
    uint8_t key[16];
    expand(watch->secret, "key", key, sizeof key);
    expand(watch->secret, "iv", sealer->iv, sizeof sealer->iv);
    sealer->cipher = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(sealer->cipher, EVP_aes_128_gcm(), NULL, key, NULL);
    sealer->sequence = watch->records;
    return sealer;
}

void sealer_free(struct sealer *sealer) {
    EVP_CIPHER_CTX_free(sealer->cipher);
    free(sealer);
}

size_t sealer_seal(struct sealer *sealer, enum record_type type, const void *bytes, size_t count, uint8_t *out) {
    size_t length = count + 1 + 16;
    uint8_t header[5] = {RECORD_DATA, 3, 3, (uint8_t)(length >> 8), (uint8_t)length}, nonce[12], last = (uint8_t)type;
    memcpy(nonce, sealer->iv, sizeof nonce);
    for (int index = 0; index < 8; index++) nonce[11 - index] ^= (uint8_t)(sealer->sequence >> (8 * index));
    sealer->sequence++;
    int part;
    memcpy(out, header, sizeof header);
    EVP_EncryptInit_ex(sealer->cipher, NULL, NULL, NULL, nonce);
    EVP_EncryptUpdate(sealer->cipher, NULL, &part, header, sizeof header);
    if (count > 0) EVP_EncryptUpdate(sealer->cipher, out + 5, &part, bytes, (int)count);
    EVP_EncryptUpdate(sealer->cipher, out + 5 + count, &part, &last, 1);
    EVP_EncryptFinal_ex(sealer->cipher, out + 5 + count + 1, &part);
    EVP_CIPHER_CTX_ctrl(sealer->cipher, EVP_CTRL_AEAD_GET_TAG, 16, out + 5 + count + 1);
    return 5 + length;
}
