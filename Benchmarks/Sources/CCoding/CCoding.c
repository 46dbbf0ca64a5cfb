// SPDX-License-Identifier: Apache-2.0
// The libraries of the codings alone: what decoding costs where nothing is received and the result is dropped.

#include "CCoding.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

// RFC 1952 around RFC 1951, with the largest window; one of 4 MB; that of zstd's level, 2 MB.
enum { GZIP = 16 + MAX_WBITS, BROTLI_QUALITY = 5, BROTLI_WINDOW = 22, ZSTD_LEVEL = 3, PIECE = 64 * 1024 };

/// What is left of the input, and of the room for output.
typedef struct {
    const uint8_t *in;
    size_t in_count;
    uint8_t *out;
    size_t out_count;
} piece;

typedef enum { GOES_ON, ENDED, FAILED } outcome;

typedef struct {
    size_t (*bound)(size_t length);
    /// Returns how much it wrote, 0 if it fails.
    size_t (*encode)(const uint8_t *bytes, size_t length, uint8_t *coded, size_t room);
    void *(*open)(void);
    /// Decodes until the input is used up or the room is full.
    outcome (*decode)(void *decoder, piece *piece);
    void (*close)(void *decoder);
} codec;

static size_t gzip_bound(size_t length) { return compressBound(length) + 16; }

static size_t gzip_encode(const uint8_t *bytes, size_t length, uint8_t *coded, size_t room) {
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)length, .next_out = coded, .avail_out = (uInt)room};
    if (length > UINT_MAX || room > UINT_MAX) return 0;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    int result = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return result == Z_STREAM_END ? stream.total_out : 0;
}

static void *gzip_open(void) {
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL || inflateInit2(stream, GZIP) == Z_OK) return stream;
    free(stream);
    return NULL;
}

static outcome gzip_decode(void *decoder, piece *piece) {
    z_stream *stream = decoder;
    stream->next_in = (Bytef *)piece->in;
    stream->avail_in = (uInt)piece->in_count;
    stream->next_out = piece->out;
    stream->avail_out = (uInt)piece->out_count;
    int result = inflate(stream, Z_NO_FLUSH);
    piece->in = stream->next_in;
    piece->in_count = stream->avail_in;
    piece->out = stream->next_out;
    piece->out_count = stream->avail_out;
    // No input left and nothing held: not an error, but the end of the input.
    if (result == Z_BUF_ERROR && stream->avail_in == 0) return GOES_ON;
    return result == Z_OK ? GOES_ON : result == Z_STREAM_END ? ENDED : FAILED;
}

static void gzip_close(void *decoder) {
    inflateEnd(decoder);
    free(decoder);
}

static size_t brotli_encode(const uint8_t *bytes, size_t length, uint8_t *coded, size_t room) {
    bool is_coded = BrotliEncoderCompress(
        BROTLI_QUALITY, BROTLI_WINDOW, BROTLI_MODE_GENERIC, length, bytes, &room, coded);
    return is_coded ? room : 0;
}

static void *brotli_open(void) { return BrotliDecoderCreateInstance(NULL, NULL, NULL); }

static outcome brotli_decode(void *decoder, piece *piece) {
    switch (BrotliDecoderDecompressStream(
        decoder, &piece->in_count, &piece->in, &piece->out_count, &piece->out, NULL)) {
    case BROTLI_DECODER_RESULT_SUCCESS: return ENDED;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return GOES_ON;
    default: return FAILED;
    }
}

static void brotli_close(void *decoder) { BrotliDecoderDestroyInstance(decoder); }

static size_t zstd_encode(const uint8_t *bytes, size_t length, uint8_t *coded, size_t room) {
    size_t made = ZSTD_compress(coded, room, bytes, length, ZSTD_LEVEL);
    return ZSTD_isError(made) ? 0 : made;
}

static void *zstd_open(void) { return ZSTD_createDStream(); }

static outcome zstd_decode(void *decoder, piece *piece) {
    ZSTD_inBuffer in = {.src = piece->in, .size = piece->in_count};
    ZSTD_outBuffer out = {.dst = piece->out, .size = piece->out_count};
    size_t result = ZSTD_decompressStream(decoder, &out, &in);
    piece->in += in.pos;
    piece->in_count -= in.pos;
    piece->out += out.pos;
    piece->out_count -= out.pos;
    return ZSTD_isError(result) ? FAILED : result == 0 ? ENDED : GOES_ON;
}

static void zstd_close(void *decoder) { ZSTD_freeDStream(decoder); }

static const codec codecs[] = {
    [CODING_GZIP] = {gzip_bound, gzip_encode, gzip_open, gzip_decode, gzip_close},
    [CODING_BROTLI] = {BrotliEncoderMaxCompressedSize, brotli_encode, brotli_open, brotli_decode, brotli_close},
    [CODING_ZSTD] = {ZSTD_compressBound, zstd_encode, zstd_open, zstd_decode, zstd_close},
};

size_t coding_bound(content_coding coding, size_t length) { return codecs[coding].bound(length); }

size_t coding_encode(content_coding coding, const uint8_t *bytes, size_t length, uint8_t *coded) {
    return codecs[coding].encode(bytes, length, coded, coding_bound(coding, length));
}

uint64_t coding_decode(content_coding coding, const uint8_t *coded, size_t length) {
    const codec *codec = &codecs[coding];
    uint8_t *room = malloc(PIECE);
    void *decoder = codec->open();
    outcome outcome = room != NULL && decoder != NULL ? GOES_ON : FAILED;
    uint64_t made = 0;
    for (size_t offset = 0; outcome == GOES_ON && offset < length; offset += PIECE) {
        piece piece = {.in = coded + offset, .in_count = length - offset < PIECE ? length - offset : PIECE};
        do {
            piece.out = room;
            piece.out_count = PIECE;
            outcome = codec->decode(decoder, &piece);
            made += PIECE - piece.out_count;
        } while (outcome == GOES_ON && (piece.in_count > 0 || piece.out_count == 0));
    }
    if (decoder != NULL) codec->close(decoder);
    free(room);
    return outcome == ENDED ? made : 0;
}
