// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The most bytes that `gzip_compress` makes of `length`.
size_t gzip_bound(size_t length);

/// Writes one gzip member of `bytes` to `coded`, which has room for `gzip_bound(length)`, and returns its length; 0 if it fails.
size_t gzip_compress(const uint8_t *bytes, size_t length, uint8_t *coded);

/// Decodes one gzip member, in chunks of 64 KB that are dropped, and returns how many bytes came out of it; 0 if it is
/// broken, or is not over at the end of `coded`.
uint64_t gzip_inflate(const uint8_t *coded, size_t length);
