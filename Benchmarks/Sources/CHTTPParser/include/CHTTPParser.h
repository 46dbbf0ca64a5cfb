// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What was read; added to.
typedef struct {
    uint64_t messages;
    uint64_t statuses;      // their sum
    uint64_t fields;
    uint64_t body_bytes;
    uint64_t reusable;      // messages after which the connection may be used again
} parsing_tally;

typedef struct http_readers http_readers;

/// The version of http_parser; NULL if the benchmark was built without its header or the library is not there.
const char *http_parser_release(void);

/// As many response readers; NULL if there is no memory or no library.
http_readers *http_readers_new(size_t count);

/// Makes every reader ready for a response.
void http_readers_begin(http_readers *readers);

/// Has every reader read `bytes`, one whole response. False if one of them did not find it whole.
bool http_readers_read(http_readers *readers, const uint8_t *bytes, size_t length, parsing_tally *tally);

void http_readers_free(http_readers *readers);
