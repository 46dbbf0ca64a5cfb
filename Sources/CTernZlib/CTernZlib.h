// SPDX-License-Identifier: Apache-2.0
// zlib's header as a Swift module. What Swift cannot import (function-like macros) follows as inline functions with the prefix
// `tern_`; nothing here adds behaviour.
#pragma once

// What is read is not written: `next_in` points to constant bytes.
#define ZLIB_CONST
#include <zlib.h>

static inline int tern_inflateInit2(z_stream *stream, int windowBits) { return inflateInit2(stream, windowBits); }
static inline int tern_deflateInit2(z_stream *stream, int level, int windowBits, int strategy) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, strategy);
}
