// SPDX-License-Identifier: Apache-2.0
// zlib alone: what decoding costs where nothing is received and the result is dropped.

#include "CCoding.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

// RFC 1952 around RFC 1951, with the largest window.
enum { GZIP = 16 + MAX_WBITS, PIECE = 64 * 1024 };

static z_stream *deflater(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) == Z_OK ? stream : NULL;
}

size_t gzip_bound(size_t length) {
    z_stream stream = {0};
    if (deflater(&stream) == NULL) return 0;
    size_t bound = deflateBound(&stream, length);
    deflateEnd(&stream);
    return bound;
}

size_t gzip_compress(const uint8_t *bytes, size_t length, uint8_t *coded) {
    z_stream stream = {0};
    size_t bound = gzip_bound(length);
    if (length > UINT_MAX || bound > UINT_MAX || deflater(&stream) == NULL) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)length;
    stream.next_out = coded;
    stream.avail_out = (uInt)bound;
    int result = deflate(&stream, Z_FINISH);
    size_t made = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? made : 0;
}

uint64_t gzip_inflate(const uint8_t *coded, size_t length) {
    z_stream stream = {0};
    uint8_t *piece = malloc(PIECE);
    if (piece == NULL || inflateInit2(&stream, GZIP) != Z_OK) {
        free(piece);
        return 0;
    }
    size_t offset = 0;
    int result = Z_OK;
    while (result == Z_OK && offset < length) {
        size_t given = length - offset < PIECE ? length - offset : PIECE;
        stream.next_in = (Bytef *)coded + offset;
        stream.avail_in = (uInt)given;
        do {
            stream.next_out = piece;
            stream.avail_out = PIECE;
            result = inflate(&stream, Z_NO_FLUSH);
        } while (result == Z_OK && stream.avail_out == 0);
        // No input left and nothing held: not an error, but the end of this chunk.
        if (result == Z_BUF_ERROR && stream.avail_in == 0) result = Z_OK;
        offset += given;
    }
    uint64_t made = stream.total_out;
    inflateEnd(&stream);
    free(piece);
    return result == Z_STREAM_END ? made : 0;
}
