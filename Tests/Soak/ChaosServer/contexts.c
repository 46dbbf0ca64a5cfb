// SPDX-License-Identifier: Apache-2.0
// The TLS settings of each door.
#include "door.h"
#include "sealer.h"
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

static SSL_CTX *make_context(const struct chain *chain) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_cert_and_key(context, chain->leaf, chain->key, chain->others, 1);
    return context;
}

SSL_CTX *make_modern_context(const struct chain *honest) {
    SSL_CTX *context = make_context(honest);
    sealer_prepare(context);
    return context;
}

SSL_CTX *make_tls12_context(const struct chain *honest) {
    SSL_CTX *context = make_context(honest);
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    return context;
}

/// 10,000 bits that need not be prime: it is not checked. A hostile server need not compute with it; this one does.
static EVP_PKEY *make_huge_modulus(void) {
    BIGNUM *modulus = BN_new(), *generator = BN_new();
    BN_rand(modulus, 10000, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
    BN_set_word(generator, 2);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, modulus);
    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_G, generator);
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    EVP_PKEY_fromdata_init(maker);
    EVP_PKEY_fromdata(maker, &key, EVP_PKEY_KEY_PARAMETERS, parameters);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus), BN_free(generator);
    return key;
}

SSL_CTX *make_huge_modulus_context(const struct chain *honest) {
    (void)honest;
    struct chain chain = make_honest_chain(EVP_RSA_gen(2048));
    SSL_CTX *context = make_context(&chain);
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_cipher_list(context, "DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384");
    SSL_CTX_set0_tmp_dh_pkey(context, make_huge_modulus());
    return context;
}

SSL_CTX *make_path_bomb_context(const struct chain *honest) {
    (void)honest;
    struct chain chain = make_path_bomb();
    return make_context(&chain);
}
