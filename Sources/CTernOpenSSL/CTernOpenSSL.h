// SPDX-License-Identifier: Apache-2.0
// OpenSSL's headers as one Swift module; function-like macros, which Swift cannot import, as inline functions.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
