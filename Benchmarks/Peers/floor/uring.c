// The floor on io_uring instead of epoll, to be measured beside it: what would another reactor gain? MODE is one of
//   poll       readiness as from epoll: a poll in the ring for each response, then write and read as system calls
//   polls      readiness at the edge: one multishot poll for the life of a connection, then write and read as system calls
//   receive    send and receive in the ring, into memory of the connection's own
//   linked     the same, the receive linked to the send
//   multishot  send in the ring, one multishot receive for the life of a connection, into memory that all share
// The ring is told what makes it cheapest: one thread, work deferred until it is asked for, descriptors that are registered.
//
// Times differ from minute to minute and ratios do not, so in rounds, from where both were built:
//   for round in {1..15}; do for loop in 'floor -' 'uring receive'; do ./$loop http://127.0.0.1:8080/small - 64 2 0.2 1; done; done
#include "floor.h"

#include <liburing.h>
#include <poll.h>

enum { ENTRIES = 256, COMPLETIONS = 8192, FEW = 4, SHARED = 512, SMALL = 4 * 1024 };

static enum { POLL, POLLS, RECEIVE, LINKED, MULTISHOT, MODES } mode;
static const char *names[] = {"poll", "polls", "receive", "linked", "multishot"};

static struct io_uring ring;
static struct io_uring_buf_ring *shared;
static struct connection *all;
/// Of each connection, or of each chunk that all share.
static char *memory;
static size_t piece;
static unsigned pieces;

static void check(int result, const char *reason) {
    if (result >= 0) return;
    errno = -result;
    fail(reason);
}

/// Room for `count` entries that must not be torn apart.
static void make_room(unsigned count) {
    if (io_uring_sq_space_left(&ring) < count) check(io_uring_submit(&ring), "io_uring_submit");
}

/// A `silent` entry that succeeds is not reported.
static void queue(struct io_uring_sqe *entry, struct connection *connection, unsigned flags, bool silent) {
    io_uring_sqe_set_data(entry, silent ? NULL : connection);
    io_uring_sqe_set_flags(entry, IOSQE_FIXED_FILE | flags | (silent ? IOSQE_CQE_SKIP_SUCCESS : 0));
}

/// Its descriptor, as the ring knows it.
static int registered(struct connection *connection) { return (int)(connection - all); }

static void queue_poll(struct connection *connection) {
    make_room(1);
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (mode == POLLS) io_uring_prep_poll_multishot(entry, registered(connection), POLLIN);
    else io_uring_prep_poll_add(entry, registered(connection), POLLIN);
    queue(entry, connection, 0, false);
}

static void queue_send(struct connection *connection, unsigned flags) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    io_uring_prep_send(entry, registered(connection), request, request_size, MSG_WAITALL);
    queue(entry, connection, flags, true);
}

static void queue_receive(struct connection *connection, bool is_answer) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    io_uring_prep_recv(entry, registered(connection), memory + piece * (size_t)registered(connection), piece, 0);
    // An answer cannot be there yet: trying before waiting would be for nothing.
    if (is_answer) entry->ioprio |= IORING_RECVSEND_POLL_FIRST;
    queue(entry, connection, 0, false);
}

static void queue_multishot(struct connection *connection) {
    make_room(1);
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    io_uring_prep_recv_multishot(entry, registered(connection), NULL, 0, 0);
    entry->buf_group = 0;
    queue(entry, connection, IOSQE_BUFFER_SELECT, false);
}

static void lend(unsigned index, int offset) {
    io_uring_buf_ring_add(
        shared, memory + piece * index, (unsigned)piece, (unsigned short)index, io_uring_buf_ring_mask(pieces), offset);
}

static void begin_and_ask(struct connection *connection, uint64_t at) {
    begin(connection, at);
    if (mode == POLL || mode == POLLS) ask(connection);
    if (mode == POLL) queue_poll(connection);
    if (mode == POLL || mode == POLLS) return;
    make_room(2);
    queue_send(connection, mode == LINKED ? IOSQE_IO_LINK : 0);
    if (mode != MULTISHOT) queue_receive(connection, true);
}

static bool receive_by_call(struct connection *connection) {
    bool whole = false;
    ssize_t count;
    do {
        count = recv(connection->descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count < 0 && errno == EAGAIN) break;
        whole = is_whole(connection, buffer, count);
    } while (mode == POLLS && !whole && count == sizeof buffer);
    return whole;
}

/// Whether the response is there whole.
static bool receive(struct connection *connection, const struct io_uring_cqe *completion) {
    bool whole = false;
    if (mode == POLL || mode == POLLS) {
        check(completion->res, "poll");
        whole = receive_by_call(connection);
        if (mode == POLL ? !whole : !(completion->flags & IORING_CQE_F_MORE)) queue_poll(connection);
    } else if (mode == MULTISHOT) {
        if (completion->res != -ENOBUFS) {
            check(completion->res, "multishot");
            unsigned index = completion->flags >> IORING_CQE_BUFFER_SHIFT;
            whole = is_whole(connection, memory + piece * index, completion->res);
            lend(index, 0);
            io_uring_buf_ring_advance(shared, 1);
        }
        if (!(completion->flags & IORING_CQE_F_MORE)) queue_multishot(connection);
    } else {
        check(completion->res, "receive");
        whole = is_whole(connection, memory + piece * (size_t)registered(connection), completion->res);
        if (!whole) make_room(1), queue_receive(connection, false);
    }
    return whole;
}

static void share(void) {
    if (posix_memalign((void **)&shared, 4096, pieces * sizeof(struct io_uring_buf)) != 0) fail("memory");
    struct io_uring_buf_reg registration = {.ring_addr = (uint64_t)shared, .ring_entries = pieces};
    check(io_uring_register_buf_ring(&ring, &registration, 0), "io_uring_register_buf_ring");
    io_uring_buf_ring_init(shared);
    for (unsigned index = 0; index < pieces; index++) lend(index, (int)index);
    io_uring_buf_ring_advance(shared, (int)pieces);
}

static void prepare(const char *name, struct connection *connections, int count) {
    while (mode < MODES && strcmp(names[mode], name) != 0) mode++;
    if (mode == MODES) {
        fprintf(stderr, "MODE is poll, polls, receive, linked or multishot\n");
        exit(2);
    }
    all = connections;
    struct io_uring_params parameters = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE, .cq_entries = COMPLETIONS};
    check(io_uring_queue_init_params(ENTRIES, &ring, &parameters), "io_uring_queue_init_params");
    check(io_uring_register_ring_fd(&ring), "io_uring_register_ring_fd");
    int *descriptors = calloc((size_t)count, sizeof *descriptors);
    for (int index = 0; index < count; index++) descriptors[index] = connections[index].descriptor;
    check(io_uring_register_files(&ring, descriptors, (unsigned)count), "io_uring_register_files");
    free(descriptors);
    piece = count == 1 ? BUFFER : SMALL;
    pieces = mode != MULTISHOT ? (unsigned)count : count == 1 ? FEW : SHARED;
    memory = malloc(piece * pieces);
    if (mode == MULTISHOT) share();
    for (int index = 0; index < count; index++) {
        if (mode == MULTISHOT) queue_multishot(&connections[index]);
        if (mode == POLLS) queue_poll(&connections[index]);
    }
}

static void run(struct connection *connections, int count, double seconds, struct tally *tally) {
    uint64_t start = now(), deadline = start + (uint64_t)(seconds * 1e9);
    int running = count;
    for (int index = 0; index < count; index++) begin_and_ask(&connections[index], start);
    while (running > 0) {
        check(io_uring_submit_and_wait(&ring, 1), "io_uring_submit_and_wait");
        unsigned head, seen = 0;
        struct io_uring_cqe *completion;
        io_uring_for_each_cqe(&ring, head, completion) {
            seen++;
            struct connection *connection = io_uring_cqe_get_data(completion);
            if (connection == NULL) check(completion->res, "send");
            if (connection == NULL || !receive(connection, completion)) continue;
            uint64_t at = now();
            note(tally, connection, at);
            if (at < deadline) begin_and_ask(connection, at);
            else running--;
        }
        io_uring_cq_advance(&ring, seen);
    }
}
