// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Buckets of a latency histogram: 32 per power of two, so each is at most 3.2% wide.
enum { LATENCY_BUCKETS = 64 * 32 };

/// The bucket of a latency. Below 64 ns one bucket per nanosecond.
static inline uint32_t latency_bucket(uint64_t nanoseconds) {
    if (nanoseconds < 64) return (uint32_t)nanoseconds;
    uint32_t power = 63 - (uint32_t)__builtin_clzll(nanoseconds);
    return (power - 4) * 32 + (uint32_t)((nanoseconds >> (power - 5)) & 31);
}

/// The middle of a bucket, in nanoseconds.
static inline uint64_t latency_of_bucket(uint32_t bucket) {
    if (bucket < 64) return bucket;
    uint32_t power = bucket / 32 + 4;
    uint64_t width = 1ull << (power - 5);
    return (32ull + bucket % 32) * width + width / 2;
}

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t monotonic_nanoseconds(void);

/// A socket that is bound to a free port of 127.0.0.1, whose number is returned; -1 if there is none.
int loopback_socket(uint16_t *port);

/// A socket that is connected to a port of 127.0.0.1; -1 if no server accepts it.
int loopback_connect(uint16_t port);

/// Whether a server accepts connections there.
bool loopback_accepts(uint16_t port);

/// What a run of a client in C did; latencies are added to.
typedef struct {
    uint64_t requests;
    uint64_t errors;
    uint64_t *latencies;
} client_tally;

// What is in every client's form, and the name of its file's field.
#define UPLOAD_FORM_TEXT_NAME "species"
#define UPLOAD_FORM_TEXT "Sterna paradisaea"
#define UPLOAD_FORM_FILE_NAME "picture"

typedef struct {
    /// The size of curl's receive buffer; 0 for its default, which is cheaper for small bodies, because the buffer is allocated
    /// for every transfer. Never more than curl allows.
    size_t receive_buffer;
    /// Resumes no TLS session.
    bool fresh_handshakes;
    /// Gathers each body in memory of its announced length, and frees it at the end.
    bool collects;
    /// Asks for every coding that libcurl knows, and decodes it.
    bool decodes;
    /// The size of every body, decoded if it is; a response with another one is an error.
    uint64_t body_size;
    /// The file to upload; NULL for none.
    const char *upload_path;
    /// How many bytes to upload, from the file or else from memory; 0 for a GET.
    size_t upload_size;
    /// Sends the file as a part of a form, after a text.
    bool sends_form;
    /// The file that each body becomes; NULL for none. One connection only.
    const char *download_path;
    /// Bodies are streams of events whose data say when they were sent: each is counted as a request, with its own latency. The
    /// size of a body is their number.
    bool follows_events;
} curl_multi_options;

typedef struct curl_multi_client curl_multi_client;

/// The version of libcurl, or NULL if the benchmark was built without.
const char *curl_multi_version(void);

/// Where libcurl looks for authorities by default, or NULL.
const char *curl_multi_default_authorities(void);

/// A client that keeps `connections` requests for `url` in flight. NULL if it cannot be made.
///
/// `ca_file` holds the PEM of the accepted authority.
curl_multi_client *curl_multi_client_new(
    const char *url, const char *ca_file, int connections, curl_multi_options options);

/// Runs until no request is left; none begins after `deadline` (of `monotonic_nanoseconds`).
void curl_multi_client_run(curl_multi_client *client, uint64_t deadline, client_tally *tally);

void curl_multi_client_free(curl_multi_client *client);
