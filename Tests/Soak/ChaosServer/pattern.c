// SPDX-License-Identifier: Apache-2.0
#include "pattern.h"

uint64_t pattern_word(uint64_t seed, uint64_t index) {
    uint64_t word = seed + (index + 1) * 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

void pattern_fill(uint64_t seed, uint64_t offset, void *buffer, size_t count) {
    uint8_t *bytes = buffer;
    uint64_t word = 0;
    for (size_t index = 0; index < count; index++, offset++) {
        if (index == 0 || offset % 8 == 0) word = pattern_word(seed, offset / 8);
        bytes[index] = (uint8_t)(word >> (offset % 8 * 8));
    }
}

uint64_t digest(uint64_t hash, const void *bytes, size_t count) {
    const uint8_t *byte = bytes;
    while (count-- > 0) hash = (hash ^ *byte++) * 1099511628211u;
    return hash;
}
