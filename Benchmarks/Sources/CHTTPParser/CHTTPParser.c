// SPDX-License-Identifier: Apache-2.0
// http_parser with the least a client must do in its callbacks: keep where each field's name and value lie (a callback may
// have only a piece of one, so pieces are joined), where the reason lies, the status, the announced length, how long the body
// is, and whether the connection may be used again. Nothing is copied and nothing is allocated per message: the offsets are
// good only as long as the caller's buffer is.
//
// The library is loaded when asked for, and by the version of the header, so that the benchmark builds and runs without it.

#include "CHTTPParser.h"

#if __has_include(<http_parser.h>)

#include <dlfcn.h>
#include <http_parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 256 };

typedef struct {
    uint32_t start;
    uint32_t end;
} range;

typedef struct {
    range name;
    range value;
} field;

typedef struct {
    http_parser parser;
    const char *bytes;
    uint64_t body_bytes;
    uint64_t content_length;
    range reason;
    uint32_t fields;
    uint16_t status;
    bool in_value;
    bool reusable;
    bool complete;
    field table[MAX_FIELDS];
} reader;

struct http_readers {
    size_t count;
    http_parser_settings settings;
    reader readers[];
};

static struct {
    void *library;
    void (*init)(http_parser *, enum http_parser_type);
    size_t (*execute)(http_parser *, const http_parser_settings *, const char *, size_t);
    int (*should_keep_alive)(const http_parser *);
} loaded;

static bool load(void) {
    if (loaded.library != NULL) return true;
    char name[64];
    snprintf(name, sizeof name, "libhttp_parser.so.%d.%d", HTTP_PARSER_VERSION_MAJOR, HTTP_PARSER_VERSION_MINOR);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return false;
    *(void **)&loaded.init = dlsym(library, "http_parser_init");
    *(void **)&loaded.execute = dlsym(library, "http_parser_execute");
    *(void **)&loaded.should_keep_alive = dlsym(library, "http_should_keep_alive");
    if (loaded.init == NULL || loaded.execute == NULL || loaded.should_keep_alive == NULL) {
        dlclose(library);
        return false;
    }
    loaded.library = library;
    return true;
}

const char *http_parser_release(void) {
    static char version[32];
    if (!load()) return NULL;
    snprintf(version, sizeof version, "%d.%d.%d", HTTP_PARSER_VERSION_MAJOR, HTTP_PARSER_VERSION_MINOR,
             HTTP_PARSER_VERSION_PATCH);
    return version;
}

static void join(range *range, reader *reader, const char *at, size_t length) {
    uint32_t start = (uint32_t)(at - reader->bytes);
    if (range->end == 0) range->start = start;
    range->end = start + (uint32_t)length;
}

static int on_status(http_parser *parser, const char *at, size_t length) {
    reader *reader = parser->data;
    join(&reader->reason, reader, at, length);
    return 0;
}

static int on_header_field(http_parser *parser, const char *at, size_t length) {
    reader *reader = parser->data;
    if (reader->fields == 0 || reader->in_value) {
        if (reader->fields == MAX_FIELDS) return 1;
        reader->table[reader->fields++] = (field){{0, 0}, {0, 0}};
        reader->in_value = false;
    }
    join(&reader->table[reader->fields - 1].name, reader, at, length);
    return 0;
}

static int on_header_value(http_parser *parser, const char *at, size_t length) {
    reader *reader = parser->data;
    reader->in_value = true;
    join(&reader->table[reader->fields - 1].value, reader, at, length);
    return 0;
}

static int on_headers_complete(http_parser *parser) {
    reader *reader = parser->data;
    reader->status = (uint16_t)parser->status_code;
    reader->content_length = parser->content_length;
    return 0;
}

static int on_body(http_parser *parser, const char *at, size_t length) {
    (void)at;
    ((reader *)parser->data)->body_bytes += length;
    return 0;
}

static int on_message_complete(http_parser *parser) {
    reader *reader = parser->data;
    reader->reusable = loaded.should_keep_alive(parser) != 0;
    reader->complete = true;
    return 0;
}

http_readers *http_readers_new(size_t count) {
    if (!load()) return NULL;
    http_readers *readers = calloc(1, sizeof *readers + count * sizeof readers->readers[0]);
    if (readers == NULL) return NULL;
    readers->count = count;
    readers->settings = (http_parser_settings){
        .on_status = on_status,
        .on_header_field = on_header_field,
        .on_header_value = on_header_value,
        .on_headers_complete = on_headers_complete,
        .on_body = on_body,
        .on_message_complete = on_message_complete,
    };
    return readers;
}

void http_readers_begin(http_readers *readers) {
    for (size_t i = 0; i < readers->count; i++) {
        reader *reader = &readers->readers[i];
        loaded.init(&reader->parser, HTTP_RESPONSE);
        reader->parser.data = reader;
        reader->reason = (range){0, 0};
        reader->body_bytes = 0;
        reader->content_length = 0;
        reader->fields = 0;
        reader->status = 0;
        reader->in_value = false;
        reader->reusable = false;
        reader->complete = false;
    }
}

bool http_readers_read(http_readers *readers, const uint8_t *bytes, size_t length, parsing_tally *tally) {
    for (size_t i = 0; i < readers->count; i++) {
        reader *reader = &readers->readers[i];
        reader->bytes = (const char *)bytes;
        size_t read = loaded.execute(&reader->parser, &readers->settings, reader->bytes, length);
        if (read != length || !reader->complete) return false;
        tally->messages++;
        tally->statuses += reader->status;
        tally->fields += reader->fields;
        tally->body_bytes += reader->body_bytes;
        tally->reusable += reader->reusable;
    }
    return true;
}

void http_readers_free(http_readers *readers) { free(readers); }

#else

const char *http_parser_release(void) { return NULL; }

http_readers *http_readers_new(size_t count) {
    (void)count;
    return NULL;
}

void http_readers_begin(http_readers *readers) { (void)readers; }

bool http_readers_read(http_readers *readers, const uint8_t *bytes, size_t length, parsing_tally *tally) {
    (void)readers, (void)bytes, (void)length, (void)tally;
    return false;
}

void http_readers_free(http_readers *readers) { (void)readers; }

#endif
