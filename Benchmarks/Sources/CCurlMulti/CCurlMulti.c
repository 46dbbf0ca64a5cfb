// SPDX-License-Identifier: Apache-2.0
// libcurl as its manual advises for speed: one multi handle driven by `curl_multi_socket_action` from epoll, easy handles
// reused for the whole run so that their options and connections stay, a write callback that discards unless told otherwise,
// an upload buffer of 512 KB. A file is written with write(2), under a name of its own until it is complete; forms are curl's.
//
// libcurl withdraws its interest in a socket at the end of a transfer and declares it again at the start of the next.
// Changes are therefore applied just before waiting: for a kept-alive connection the two cancel out, and no epoll_ctl is left.

#include "CCurlMulti.h"

#include <time.h>

uint64_t monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

#if __has_include(<curl/curl.h>)

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 4096, EVENTS_PER_WAIT = 256, UPLOAD_BUFFER = 512 * 1024 };

typedef struct {
    uint32_t wanted;
    uint32_t registered;
    bool dirty;
} interest;

typedef struct {
    CURL *easy;
    uint64_t begin;
    uint64_t bytes;
    char *collected;     // NULL until the body begins, and where none is gathered
    uint64_t capacity;
    uint64_t sent;       // of the upload
    int download;        // the file that is being written, -1 for none
    curl_mime *form;
    curl_multi_client *client;
} transfer;

struct curl_multi_client {
    CURLM *multi;
    int epoll;
    int connections;
    transfer *transfers;
    interest interests[MAX_DESCRIPTORS];
    int dirty[MAX_DESCRIPTORS];
    int dirty_count;
    uint64_t timer;  // when to tell curl of its timeout; 0 for never
    uint64_t body_size;
    bool follows_events;
    int upload_file;  // -1 for none
    char *upload;     // NULL for none in memory
    uint64_t upload_size;
    struct curl_slist *headers;
    char *upload_path;    // of the form's file
    char *download_path;  // NULL for none
    char *draft_path;
    client_tally *tally;  // of the run
};

const char *curl_multi_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

const char *curl_multi_default_authorities(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((transfer *)context)->bytes += size * count;
    return size * count;
}

static size_t collect(char *bytes, size_t size, size_t count, void *context) {
    transfer *transfer = context;
    size_t length = size * count;
    if (transfer->collected == NULL) {
        curl_off_t announced = -1;
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
        if (announced < 0) return 0;
        transfer->capacity = (uint64_t)announced;
        transfer->collected = malloc(transfer->capacity);
    }
    if (transfer->collected == NULL || length > transfer->capacity - transfer->bytes) return 0;
    memcpy(transfer->collected + transfer->bytes, bytes, length);
    transfer->bytes += length;
    return length;
}

static size_t write_file(char *bytes, size_t size, size_t count, void *context) {
    transfer *transfer = context;
    size_t length = size * count;
    for (size_t written = 0; written < length;) {
        ssize_t result = write(transfer->download, bytes + written, length - written);
        if (result < 0 && errno != EINTR) return 0;
        if (result > 0) written += (size_t)result;
    }
    transfer->bytes += length;
    return length;
}

/// Events come whole: each is sent at once, and small. The body's size is their number.
static size_t follow(char *bytes, size_t size, size_t count, void *context) {
    static const char field[] = "data: ";
    transfer *transfer = context;
    client_tally *tally = transfer->client->tally;
    uint64_t now = monotonic_nanoseconds();
    const char *end = bytes + size * count;
    for (const char *place = bytes; (place = memmem(place, (size_t)(end - place), field, sizeof field - 1)) != NULL;) {
        uint64_t sent = 0;
        for (place += sizeof field - 1; place < end && *place >= '0' && *place <= '9'; place++) sent = sent * 10 + (uint64_t)(*place - '0');
        transfer->bytes++;
        tally->requests++;
        tally->latencies[latency_bucket(now - sent)]++;
    }
    return size * count;
}

static size_t read_file(char *bytes, size_t size, size_t count, void *context) {
    transfer *transfer = context;
    ssize_t length = pread(transfer->client->upload_file, bytes, size * count, (off_t)transfer->sent);
    if (length < 0) return CURL_READFUNC_ABORT;
    transfer->sent += (uint64_t)length;
    return (size_t)length;
}

static void want(curl_multi_client *client, int descriptor, uint32_t events) {
    interest *interest = &client->interests[descriptor];
    interest->wanted = events;
    if (!interest->dirty) {
        interest->dirty = true;
        client->dirty[client->dirty_count++] = descriptor;
    }
}

static int on_socket(CURL *easy, curl_socket_t descriptor, int what, void *context, void *socket_context) {
    (void)easy;
    (void)socket_context;
    if (descriptor < 0 || descriptor >= MAX_DESCRIPTORS) return -1;
    uint32_t events = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) events |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) events |= EPOLLOUT;
    want(context, descriptor, events);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    curl_multi_client *client = context;
    client->timer = milliseconds < 0 ? 0 : monotonic_nanoseconds() + (uint64_t)milliseconds * 1000000ull;
    return 0;
}

static int on_close(void *context, curl_socket_t descriptor) {
    curl_multi_client *client = context;
    // The kernel drops a closed descriptor; the number may be reused for another connection.
    if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) {
        client->interests[descriptor].wanted = 0;
        client->interests[descriptor].registered = 0;
    }
    return close(descriptor);
}

static void apply_interests(curl_multi_client *client) {
    for (int i = 0; i < client->dirty_count; i++) {
        int descriptor = client->dirty[i];
        interest *interest = &client->interests[descriptor];
        interest->dirty = false;
        if (interest->wanted == interest->registered) continue;
        struct epoll_event event = {.events = interest->wanted, .data.fd = descriptor};
        int operation = interest->registered == 0 ? EPOLL_CTL_ADD : interest->wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
        epoll_ctl(client->epoll, operation, descriptor, &event);
        interest->registered = interest->wanted;
    }
    client->dirty_count = 0;
}

static void configure_form(CURL *easy, curl_multi_client *client, transfer *transfer) {
    transfer->form = curl_mime_init(easy);
    curl_mimepart *text = curl_mime_addpart(transfer->form);
    curl_mime_name(text, UPLOAD_FORM_TEXT_NAME);
    curl_mime_data(text, UPLOAD_FORM_TEXT, CURL_ZERO_TERMINATED);
    curl_mimepart *file = curl_mime_addpart(transfer->form);
    curl_mime_name(file, UPLOAD_FORM_FILE_NAME);
    curl_mime_filedata(file, client->upload_path);
    curl_easy_setopt(easy, CURLOPT_MIMEPOST, transfer->form);
}

static void configure_upload(CURL *easy, curl_multi_client *client, transfer *transfer, curl_multi_options options) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, client->headers);
    if (options.sends_form) {
        configure_form(easy, client, transfer);
    } else if (client->upload_file >= 0) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)client->upload_size);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, read_file);
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    } else {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)client->upload_size);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, client->upload);
    }
}

static bool configure(transfer *transfer, curl_multi_client *client, const char *url, const char *ca_file, curl_multi_options options) {
    CURL *easy = transfer->easy = curl_easy_init();
    if (easy == NULL) return false;
    transfer->client = client;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    transfer->download = -1;
    curl_write_callback take = options.follows_events ? follow : options.download_path != NULL ? write_file : options.collects ? collect : discard;
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, client);
    if (options.receive_buffer > 0) {
        size_t size = options.receive_buffer < CURL_MAX_READ_SIZE ? options.receive_buffer : CURL_MAX_READ_SIZE;
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)size);
    }
    if (options.fresh_handshakes) curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    if (options.decodes) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    if (options.upload_size > 0) configure_upload(easy, client, transfer, options);
    return true;
}

/// Whether what is to be uploaded is there.
static bool prepare_upload(curl_multi_client *client, curl_multi_options options) {
    client->upload_file = -1;
    client->upload_size = options.upload_size;
    if (options.upload_size == 0) return true;
    // Does not ask whether to continue; neither does any other client.
    client->headers = curl_slist_append(NULL, "Expect:");
    if (options.sends_form) {
        if (options.upload_path != NULL) client->upload_path = strdup(options.upload_path);
        return client->upload_path != NULL;
    }
    if (options.upload_path != NULL) {
        client->upload_file = open(options.upload_path, O_RDONLY | O_CLOEXEC);
        return client->upload_file >= 0;
    }
    client->upload = malloc(options.upload_size);
    if (client->upload != NULL) memset(client->upload, 'T', options.upload_size);
    return client->upload != NULL;
}

/// Whether there are names for what is to be downloaded to.
static bool prepare_download(curl_multi_client *client, curl_multi_options options) {
    if (options.download_path == NULL) return true;
    client->download_path = strdup(options.download_path);
    return client->download_path != NULL && asprintf(&client->draft_path, "%s.draft", options.download_path) > 0;
}

curl_multi_client *curl_multi_client_new(
    const char *url, const char *ca_file, int connections, curl_multi_options options
) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl_multi_client *client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    client->body_size = options.body_size;
    client->follows_events = options.follows_events;
    bool is_ready = prepare_upload(client, options) && prepare_download(client, options);
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    client->multi = curl_multi_init();
    client->transfers = calloc((size_t)connections, sizeof *client->transfers);
    if (!is_ready || client->epoll < 0 || client->multi == NULL || client->transfers == NULL) {
        curl_multi_client_free(client);
        return NULL;
    }
    curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
    curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
    curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)connections);
    curl_multi_setopt(client->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)connections);
    curl_multi_setopt(client->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    for (client->connections = 0; client->connections < connections; client->connections++) {
        if (!configure(&client->transfers[client->connections], client, url, ca_file, options)) {
            curl_multi_client_free(client);
            return NULL;
        }
    }
    return client;
}

static void begin(curl_multi_client *client, transfer *transfer, uint64_t now) {
    transfer->begin = now;
    transfer->bytes = 0;
    transfer->sent = 0;
    if (client->draft_path != NULL) transfer->download = open(client->draft_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    curl_multi_add_handle(client->multi, transfer->easy);
}

/// Whether the file that was written, if one was, has its name.
static bool keep_file(transfer *transfer) {
    if (transfer->client->draft_path == NULL) return true;
    bool is_written = close(transfer->download) == 0;
    transfer->download = -1;
    return is_written && rename(transfer->client->draft_path, transfer->client->download_path) == 0;
}

static void end(transfer *transfer, CURLcode result, client_tally *tally) {
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    free(transfer->collected);
    transfer->collected = NULL;
    bool is_kept = keep_file(transfer);
    if (result != CURLE_OK || status != 200 || transfer->bytes != transfer->client->body_size || !is_kept) {
        tally->errors++;
        return;
    }
    if (transfer->client->follows_events) return;
    tally->requests++;
    tally->latencies[latency_bucket(monotonic_nanoseconds() - transfer->begin)]++;
}

/// Takes the ended transfers, and starts new ones before the deadline. Returns how many requests are left in flight.
static int turn_over(curl_multi_client *client, int in_flight, uint64_t deadline, client_tally *tally) {
    CURLMsg *message;
    int queued;
    while ((message = curl_multi_info_read(client->multi, &queued)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        transfer *transfer;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
        end(transfer, result, tally);
        uint64_t now = monotonic_nanoseconds();
        curl_multi_remove_handle(client->multi, easy);
        if (now < deadline && tally->errors < 1000) begin(client, transfer, now); else in_flight--;
    }
    return in_flight;
}

static int timeout_of(const curl_multi_client *client) {
    if (client->timer == 0) return -1;
    uint64_t now = monotonic_nanoseconds();
    return client->timer <= now ? 0 : (int)((client->timer - now + 999999) / 1000000);
}

void curl_multi_client_run(curl_multi_client *client, uint64_t deadline, client_tally *tally) {
    int in_flight = client->connections;
    int running;
    client->tally = tally;
    uint64_t now = monotonic_nanoseconds();
    for (int i = 0; i < client->connections; i++) begin(client, &client->transfers[i], now);
    while (in_flight > 0) {
        struct epoll_event events[EVENTS_PER_WAIT];
        // A due timer comes first: it is how curl starts the handles that were just added.
        if (timeout_of(client) == 0) {
            client->timer = 0;
            curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
            in_flight = turn_over(client, in_flight, deadline, tally);
            continue;
        }
        apply_interests(client);
        int count = epoll_wait(client->epoll, events, EVENTS_PER_WAIT, timeout_of(client));
        for (int i = 0; i < count; i++) {
            int what = 0;
            if (events[i].events & (EPOLLIN | EPOLLHUP)) what |= CURL_CSELECT_IN;
            if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
            if (events[i].events & EPOLLERR) what |= CURL_CSELECT_ERR;
            curl_multi_socket_action(client->multi, events[i].data.fd, what, &running);
        }
        in_flight = turn_over(client, in_flight, deadline, tally);
    }
}

void curl_multi_client_free(curl_multi_client *client) {
    for (int i = 0; i < client->connections; i++) {
        curl_easy_cleanup(client->transfers[i].easy);
        curl_mime_free(client->transfers[i].form);
    }
    if (client->multi != NULL) curl_multi_cleanup(client->multi);
    if (client->epoll >= 0) close(client->epoll);
    if (client->upload_file >= 0) close(client->upload_file);
    curl_slist_free_all(client->headers);
    free(client->upload);
    free(client->upload_path);
    free(client->download_path);
    free(client->draft_path);
    free(client->transfers);
    free(client);
}

#else

#include <stddef.h>

const char *curl_multi_version(void) { return NULL; }

const char *curl_multi_default_authorities(void) { return NULL; }

curl_multi_client *curl_multi_client_new(
    const char *url, const char *ca_file, int connections, curl_multi_options options
) {
    (void)url, (void)ca_file, (void)connections, (void)options;
    return NULL;
}

void curl_multi_client_run(curl_multi_client *client, uint64_t deadline, client_tally *tally) {
    (void)client, (void)deadline, (void)tally;
}

void curl_multi_client_free(curl_multi_client *client) { (void)client; }

#endif
