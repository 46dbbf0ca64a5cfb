// SPDX-License-Identifier: Apache-2.0
#include "certificates.h"
#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <string.h>

static void add_extension(X509 *certificate, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

/// Not signed yet.
static X509 *draft(const char *subject, EVP_PKEY *key, const char *issuer, long serial) {
    X509 *certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 30 * 86400);
    X509_set_pubkey(certificate, key);
    X509_NAME *names[] = {X509_get_subject_name(certificate), X509_get_issuer_name(certificate)};
    const char *texts[] = {subject, issuer};
    for (int index = 0; index < 2; index++)
        X509_NAME_add_entry_by_txt(names[index], "CN", MBSTRING_ASC, (const unsigned char *)texts[index], -1, -1, 0);
    return certificate;
}

static X509 *authority(const char *subject, EVP_PKEY *key, const char *issuer, EVP_PKEY *issuer_key, long serial) {
    X509 *certificate = draft(subject, key, issuer, serial);
    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate, issuer_key, EVP_sha256());
    return certificate;
}

struct chain make_honest_chain(EVP_PKEY *key) {
    EVP_PKEY *root = EVP_EC_gen("P-256");
    X509 *leaf = draft("localhost", key, "Soak authority", 2);
    add_extension(leaf, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    X509_sign(leaf, root, EVP_sha256());
    STACK_OF(X509) *others = sk_X509_new_null();
    sk_X509_push(others, authority("Soak authority", root, "Soak authority", root, 1));
    EVP_PKEY_free(root);
    return (struct chain){key, leaf, others};
}

static void add_names(X509 *leaf, int count) {
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    for (int index = 0; index < count; index++) {
        char text[2] = {(char)('a' + index % 26), 0};
        ASN1_IA5STRING *name = ASN1_IA5STRING_new();
        ASN1_STRING_set(name, text, 1);
        GENERAL_NAME *general = GENERAL_NAME_new();
        GENERAL_NAME_set0_value(general, GEN_DNS, name);
        sk_GENERAL_NAME_push(names, general);
    }
    in_addr_t address = htonl(INADDR_LOOPBACK);
    ASN1_OCTET_STRING *octets = ASN1_OCTET_STRING_new();
    ASN1_OCTET_STRING_set(octets, (const unsigned char *)&address, 4);
    GENERAL_NAME *general = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(general, GEN_IPADD, octets);
    sk_GENERAL_NAME_push(names, general);
    X509_add1_ext_i2d(leaf, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT);
    GENERAL_NAMES_free(names);
}

struct chain make_path_bomb(void) {
    // Each of the first may be issued by each of the second, and the second by no certificate that is sent.
    enum { look_alikes = 20, names = 28900 };
    EVP_PKEY *key = EVP_EC_gen("P-256"), *first = EVP_EC_gen("P-256"), *second = EVP_EC_gen("P-256"),
             *stranger = EVP_EC_gen("P-256");
    // A name that could be an address in an unusual form requires a second check of every other name.
    X509 *leaf = draft("0x01.1", key, "First", 1);
    add_names(leaf, names);
    X509_sign(leaf, first, EVP_sha256());
    STACK_OF(X509) *others = sk_X509_new_null();
    for (long serial = 0; serial < look_alikes; serial++)
        sk_X509_push(others, authority("First", first, "Second", second, 1000 + serial));
    for (long serial = 0; serial < look_alikes; serial++)
        sk_X509_push(others, authority("Second", second, "Stranger", stranger, 2000 + serial));
    EVP_PKEY_free(first), EVP_PKEY_free(second), EVP_PKEY_free(stranger);
    return (struct chain){key, leaf, others};
}
