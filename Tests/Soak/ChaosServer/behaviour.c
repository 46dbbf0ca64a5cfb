// SPDX-License-Identifier: Apache-2.0
#include "behaviour.h"
#include <string.h>

const struct behaviour behaviours[] = {
    {"good", answer_well, ANYWHERE, false},
    {"chunked", answer_in_chunks, ANYWHERE, false},
    {"until-close", answer_until_close, ANYWHERE, false},
    {"pieces", answer_in_pieces, ANYWHERE, false},
    {"drips", answer_in_drips, ANYWHERE, false},
    {"late", answer_late, ANYWHERE, false},
    {"informational", answer_after_informational, ANYWHERE, false},
    {"without-body", answer_without_body, ANYWHERE, false},
    {"announced-close", answer_and_announce_close, ANYWHERE, false},

    {"reset", reset_at_once, ANYWHERE, true},
    {"reset-in-head", reset_in_head, ANYWHERE, false},
    {"reset-in-body", reset_in_body, ANYWHERE, false},
    {"fin", finish_at_once, ANYWHERE, false},
    {"fin-in-head", finish_in_head, ANYWHERE, false},
    {"fin-in-body", finish_in_body, ANYWHERE, false},
    {"fin-without-goodbye", finish_rudely_until_close, ANYWHERE, false},
    {"fin-with-response", finish_with_response, ANYWHERE, false},
    {"fin-after-response", finish_after_response, ANYWHERE, false},
    {"stall", stall_at_once, ANYWHERE, true},
    {"stall-in-body", stall_in_body, ANYWHERE, false},
    {"refused-body", refuse_body_and_reset, ANYWHERE, true},

    {"garbage", say_garbage, ANYWHERE, false},
    {"garbage-in-chunks", say_garbage_in_chunks, ANYWHERE, false},
    {"two-lengths", say_two_lengths, ANYWHERE, false},
    {"longer", announce_more, ANYWHERE, false},
    {"shorter", announce_less, ANYWHERE, false},
    {"stray-bytes", stray_bytes_behind, ANYWHERE, false},
    {"stray-at-once", stray_response_at_once, ANYWHERE, false},
    {"stray-later", stray_response_later, ANYWHERE, false},
    {"ledger", tell_ledger, ANYWHERE, false},

    {"million-header-bytes", million_header_bytes, ANYWHERE, false},
    {"cookie-dates", cookie_dates, ANYWHERE, false},
    {"fresh-cookies", fresh_cookies, ANYWHERE, false},
    {"endless-informational", endless_informational, ANYWHERE, false},
    {"costly-chunks", costly_chunks, ANYWHERE, false},
    {"empty-blocks", empty_blocks, ANYWHERE, false},
    {"long-fields", long_fields, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},

    {"key-updates", flood_key_updates, OVER_TLS, false},
    {"tickets", flood_tickets, OVER_TLS, false},
    {"hello-requests", flood_hello_requests, OVER_TLS12, false},
    {"one-byte-records", flood_one_byte_records, OVER_TLS | OVER_TLS12, false},
    {"empty-records", flood_empty_records, OVER_TLS, false},
    {"warnings", flood_warnings, OVER_TLS, false},

    {"connect-records", connect_in_records, OVER_TLS | ON_TRIAL, false},
    {"connect-chunks", connect_in_chunks, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"connect-informational", connect_after_informational, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},

    {"ws-echo", ws_echo, ANYWHERE | ON_TRIAL, false},
    {"ws-wrong-accept", ws_wrong_accept, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-pings", ws_pings, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-fragments", ws_fragments, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-messages", ws_messages, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-close-flood", ws_close_flood, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-announced", ws_announced, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-stored-blocks", ws_stored_blocks, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-dynamic-blocks", ws_dynamic_blocks, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-bomb", ws_bomb, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-bombs", ws_bombs, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-compressed-nothing", ws_compressed_nothing, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-violations", ws_violations, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},
    {"ws-deaf", ws_deaf, OVER_PLAIN | OVER_TLS | ON_TRIAL, false},

    {"betray-bytes", betray_bytes, OVER_PLAIN | ON_TRIAL, false},
    {"betray-question", betray_question, OVER_PLAIN | ON_TRIAL, false},
    {"betray-length", betray_length, OVER_PLAIN | ON_TRIAL, false},
    {0},
};

const struct behaviour *find_behaviour(const char *name) {
    for (const struct behaviour *candidate = behaviours; candidate->name; candidate++)
        if (strcmp(candidate->name, name) == 0) return candidate;
    return NULL;
}
