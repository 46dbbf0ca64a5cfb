// SPDX-License-Identifier: Apache-2.0
#include "door.h"

struct door doors[] = {
    {"plain", OVER_PLAIN, NULL, NULL, NULL},
    {"tls", OVER_TLS, make_modern_context, NULL, NULL},
    {"tls12", OVER_TLS12, make_tls12_context, NULL, NULL},
    {"slow-handshake", OVER_TLS, make_modern_context, shake_hands_slowly, NULL},
    {"wrong-handshake", OVER_TLS, make_modern_context, shake_hands_wrongly, NULL},
    {"huge-modulus", OVER_TLS12, make_huge_modulus_context, NULL, NULL},
    {"path-bomb", OVER_TLS, make_path_bomb_context, NULL, NULL},
    {0},
};
