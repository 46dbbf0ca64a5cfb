// SPDX-License-Identifier: Apache-2.0
// Kernel interfaces that Swift's Glibc module does not carry.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
