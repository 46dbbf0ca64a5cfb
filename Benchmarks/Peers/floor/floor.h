// What the loops in C share: one request, a tally, and main. A loop learns the size of a response from the first one, counts bytes
// from then on, and looks at no more of them.
//
// MODE URL AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS; http to an address in numbers only.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 64 * 32, BUFFER = 256 * 1024 };

struct connection {
    int descriptor;
    uint64_t received, begin;
};

struct tally {
    uint64_t requests, errors, latencies[BUCKETS];
};

static char request[2048], buffer[BUFFER];
static size_t request_size;
static uint64_t body_size, response_size;

/// The operations of a loop: set up its lasting state, and keep every connection sending until the time is over.
static void prepare(const char *mode, struct connection *connections, int count);
static void run(struct connection *connections, int count, double seconds, struct tally *tally);

static void fail(const char *reason) {
    fprintf(stderr, "%s: %s\n", reason, strerror(errno));
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static unsigned bucket(uint64_t nanoseconds) {
    if (nanoseconds < 64) return (unsigned)nanoseconds;
    unsigned power = 63 - (unsigned)__builtin_clzll(nanoseconds);
    return (power - 4) * 32 + (unsigned)((nanoseconds >> (power - 5)) & 31);
}

static double microseconds(const struct tally *tally, double share) {
    uint64_t seen = 0;
    for (unsigned index = 0; index < BUCKETS; index++) {
        seen += tally->latencies[index];
        if (tally->latencies[index] == 0 || (double)seen < share * (double)tally->requests) continue;
        if (index < 64) return index / 1000.0;
        uint64_t width = 1ull << (index / 32 - 1);
        return (double)((32 + index % 32) * width + width / 2) / 1000.0;
    }
    return 0;
}

/// Head and body of the first response; the head is as long for all that follow.
static void learn(const char *bytes, size_t count) {
    char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (end == NULL || memcmp(bytes, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "no 200 in one piece\n");
        exit(1);
    }
    response_size = (uint64_t)(end + 4 - bytes) + body_size;
}

static void begin(struct connection *connection, uint64_t at) {
    connection->received = 0;
    connection->begin = at;
}

static void ask(struct connection *connection) {
    if (write(connection->descriptor, request, request_size) != (ssize_t)request_size) fail("write");
}

/// Whether the response is there whole, with `count` bytes more.
static bool is_whole(struct connection *connection, const char *bytes, ssize_t count) {
    if (count <= 0) fail("no bytes");
    if (response_size == 0) learn(bytes, (size_t)count);
    connection->received += (uint64_t)count;
    return connection->received >= response_size;
}

static void note(struct tally *tally, const struct connection *connection, uint64_t at) {
    if (connection->received == response_size) tally->requests++, tally->latencies[bucket(at - connection->begin)]++;
    else tally->errors++;
}

static int open_connection(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(host, port, &hints, &found) != 0) fail("getaddrinfo");
    int descriptor = -1;
    for (struct addrinfo *address = found; address != NULL; address = address->ai_next) {
        descriptor = socket(address->ai_family, SOCK_STREAM, 0);
        if (descriptor >= 0 && connect(descriptor, address->ai_addr, address->ai_addrlen) == 0) break;
        if (descriptor >= 0) close(descriptor);
        descriptor = -1;
    }
    freeaddrinfo(found);
    if (descriptor < 0) fail("connect");
    return descriptor;
}

/// In bytes; from /proc, because ru_maxrss begins with the peak of the parent process.
static long resident_bytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (status != NULL && fgets(line, sizeof line, status) != NULL && sscanf(line, "VmHWM: %ld", &kilobytes) != 1) {}
    if (status != NULL) fclose(status);
    return kilobytes * 1024;
}

static double of(struct timeval time) { return (double)time.tv_sec * 1e6 + (double)time.tv_usec; }

int main(int count, char **arguments) {
    char host[256], path[512];
    unsigned port;
    if (count != 8 || sscanf(arguments[2], "http://%255[^:/]:%u%511s", host, &port, path) != 3) {
        fprintf(stderr, "MODE http://HOST:PORT/PATH AUTHORITY CONNECTIONS BODY_SIZE WARM_UP_SECONDS SECONDS\n");
        return 2;
    }
    int connection_count = atoi(arguments[4]);
    body_size = strtoull(arguments[5], NULL, 10);
    request_size = (size_t)snprintf(
        request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%u\r\n\r\n", path, host, port);
    char port_text[16];
    snprintf(port_text, sizeof port_text, "%u", port);
    struct connection *connections = calloc((size_t)connection_count, sizeof *connections);
    for (int index = 0; index < connection_count; index++) connections[index].descriptor = open_connection(host, port_text);
    prepare(arguments[1], connections, connection_count);
    static struct tally warm, tally;
    run(connections, connection_count, atof(arguments[6]), &warm);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    uint64_t started = now();
    run(connections, connection_count, atof(arguments[7]), &tally);
    uint64_t end = now();
    getrusage(RUSAGE_SELF, &after);
    printf(
        "{\"requests\":%lu,\"errors\":%lu,\"seconds\":%f,\"userMicroseconds\":%f,\"systemMicroseconds\":%f,"
        "\"residentBytes\":%ld,\"p50Microseconds\":%f,\"p90Microseconds\":%f,\"p99Microseconds\":%f}\n",
        (unsigned long)tally.requests, (unsigned long)tally.errors, (double)(end - started) / 1e9,
        of(after.ru_utime) - of(before.ru_utime), of(after.ru_stime) - of(before.ru_stime), resident_bytes(),
        microseconds(&tally, 0.5), microseconds(&tally, 0.9), microseconds(&tally, 0.99));
    return 0;
}
