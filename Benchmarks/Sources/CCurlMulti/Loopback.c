// SPDX-License-Identifier: Apache-2.0
// In C, because to Swift a socket's address belongs to the module that was read first.

#include "CCurlMulti.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int loopback_socket(uint16_t *port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (descriptor < 0) return -1;
    if (bind(descriptor, (struct sockaddr *)&address, size) != 0
        || getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) {
        close(descriptor);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return descriptor;
}

int loopback_connect(uint16_t port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(port);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

bool loopback_accepts(uint16_t port) {
    int descriptor = loopback_connect(port);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}
