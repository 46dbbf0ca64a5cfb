// SPDX-License-Identifier: Apache-2.0
// What a server can do with a request; the client names it in the path.
#pragma once
#include "exchange.h"

enum layer { OVER_PLAIN = 1, OVER_TLS = 2, OVER_TLS12 = 4, ANYWHERE = OVER_PLAIN | OVER_TLS | OVER_TLS12, ON_TRIAL = 8 };
// What is ON_TRIAL is for a trial or an attack of its own, and no storm asks for it.

struct behaviour {
    const char *name;
    void (*run)(struct exchange *);
    /// Where it makes sense, as a set of `layer`.
    int layers;
    /// It looks at the request's body itself, if at all.
    bool takes_body;
};

/// Ends with an entry without a name.
extern const struct behaviour behaviours[];
const struct behaviour *find_behaviour(const char *name);

// As it should be, in all shapes.
void answer_well(struct exchange *);
void answer_in_chunks(struct exchange *);
void answer_until_close(struct exchange *);
void answer_in_pieces(struct exchange *);
void answer_in_drips(struct exchange *);
void answer_late(struct exchange *);
void answer_after_informational(struct exchange *);
void answer_without_body(struct exchange *);
void answer_and_announce_close(struct exchange *);

// Ends.
void reset_at_once(struct exchange *);
void reset_in_head(struct exchange *);
void reset_in_body(struct exchange *);
void finish_at_once(struct exchange *);
void finish_in_head(struct exchange *);
void finish_in_body(struct exchange *);
void finish_rudely_until_close(struct exchange *);
void finish_with_response(struct exchange *);
void finish_after_response(struct exchange *);
void stall_at_once(struct exchange *);
void stall_in_body(struct exchange *);
void refuse_body_and_reset(struct exchange *);

// Lies.
void say_garbage(struct exchange *);
void say_garbage_in_chunks(struct exchange *);
void say_two_lengths(struct exchange *);
void announce_more(struct exchange *);
void announce_less(struct exchange *);
void stray_bytes_behind(struct exchange *);
void stray_response_at_once(struct exchange *);
void stray_response_later(struct exchange *);
void tell_ledger(struct exchange *);

// Costly heads and bodies.
void million_header_bytes(struct exchange *);
void cookie_dates(struct exchange *);
void fresh_cookies(struct exchange *);
void endless_informational(struct exchange *);
void costly_chunks(struct exchange *);
void empty_blocks(struct exchange *);
/// A deflate block that defines 288 codes and ends.
extern const char dynamic_block[28];
/// One field of 220 KB, another with each response.
void long_fields(struct exchange *);
/// Such a field: `unit`, repeated.
void write_long_field(struct exchange *, const char *name, const char *unit);

// Answers of a proxy to CONNECT, which costs a client as much as they can.
void connect_in_records(struct exchange *);
void connect_in_chunks(struct exchange *);
void connect_after_informational(struct exchange *);

// WebSockets. Most of them flood, and read nothing.
void ws_echo(struct exchange *);
void ws_wrong_accept(struct exchange *);
void ws_pings(struct exchange *);
void ws_fragments(struct exchange *);
void ws_messages(struct exchange *);
void ws_close_flood(struct exchange *);
void ws_announced(struct exchange *);
void ws_stored_blocks(struct exchange *);
void ws_dynamic_blocks(struct exchange *);
void ws_bomb(struct exchange *);
void ws_bombs(struct exchange *);
void ws_compressed_nothing(struct exchange *);
void ws_violations(struct exchange *);
void ws_deaf(struct exchange *);

// To try the soak itself.
void betray_bytes(struct exchange *);
void betray_question(struct exchange *);
void betray_length(struct exchange *);

// Floods over TLS: half a response, then for `size` milliseconds, or until the client closes if that is zero.
void flood_key_updates(struct exchange *);
void flood_tickets(struct exchange *);
void flood_hello_requests(struct exchange *);
void flood_one_byte_records(struct exchange *);
void flood_empty_records(struct exchange *);
void flood_warnings(struct exchange *);
