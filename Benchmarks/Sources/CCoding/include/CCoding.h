// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum { CODING_GZIP, CODING_BROTLI, CODING_ZSTD } content_coding;

/// The most bytes that `coding_encode` makes of `length`.
size_t coding_bound(content_coding coding, size_t length);

/// Codes `bytes` into `coded`, which has room for `coding_bound(coding, length)`. Returns its length; 0 if it fails.
size_t coding_encode(content_coding coding, const uint8_t *bytes, size_t length, uint8_t *coded);

/// Decodes what `coding_encode` has made, in chunks of 64 KB that are dropped, and returns how many bytes came out of
/// it; 0 if it is broken, or is not over at the end of `coded`.
uint64_t coding_decode(content_coding coding, const uint8_t *coded, size_t length);
