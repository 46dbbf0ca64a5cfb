// SPDX-License-Identifier: Apache-2.0
// The bytes that a body consists of: a function of a seed and a position, the same in the client.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// One step of splitmix64.
uint64_t pattern_word(uint64_t seed, uint64_t index);
/// Writes the bytes at `offset` and behind it.
void pattern_fill(uint64_t seed, uint64_t offset, void *buffer, size_t count);

#define DIGEST_START 14695981039346656037u
/// FNV-1a, to be continued with the result.
uint64_t digest(uint64_t hash, const void *bytes, size_t count);
