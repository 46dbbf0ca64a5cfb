// SPDX-License-Identifier: Apache-2.0
// ChaosServer chaos: everything in the tables of behaviours and doors. ChaosServer neighbour: a plain door and no more.
// Both write `port NAME NUMBER` for every door, `behaviour NAME LAYERS`, `authority PEM-IN-HEX` and `ready`, and end when
// standard input does. ChaosServer control PORT: see control.h.
#define _GNU_SOURCE
#include "certificates.h"
#include "control.h"
#include "listener.h"
#include <openssl/crypto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void show_authority(const struct chain *honest) {
    unsigned char *bytes = NULL;
    int length = i2d_X509(sk_X509_value(honest->others, 0), &bytes);
    printf("authority ");
    for (int index = 0; index < length; index++) printf("%02x", bytes[index]);
    printf("\n");
    OPENSSL_free(bytes);
}

static int open_doors(const struct chain *honest, int count) {
    for (struct door *door = doors; door->name && count-- > 0; door++) {
        if (door->make_context && !(door->context = door->make_context(honest))) return 0;
        int port = listener_start(door);
        if (!port) return 0;
        printf("port %s %d\n", door->name, port);
    }
    return 1;
}

static void raise_descriptor_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argument_count, char **arguments) {
    const char *role = argument_count > 1 ? arguments[1] : "";
    signal(SIGPIPE, SIG_IGN);
    if (strcmp(role, "control") == 0 && argument_count == 3) return control_run(atoi(arguments[2]));
    int is_chaos = strcmp(role, "chaos") == 0;
    if (!is_chaos && strcmp(role, "neighbour") != 0) return 2;
    raise_descriptor_limit();
    struct chain honest = make_honest_chain(EVP_EC_gen("P-256"));
    if (!open_doors(&honest, is_chaos ? 100 : 1)) return 1;
    for (const struct behaviour *behaviour = behaviours; behaviour->name; behaviour++)
        printf("behaviour %s %d\n", behaviour->name, behaviour->layers);
    show_authority(&honest);
    printf("ready\n");
    fflush(stdout);
    char line[64];
    while (read(STDIN_FILENO, line, sizeof line) > 0) {}
    _exit(0);
}
