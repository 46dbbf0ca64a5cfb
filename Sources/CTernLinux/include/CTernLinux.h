// SPDX-License-Identifier: Apache-2.0
// Kernel interfaces that Swift's Glibc module does not carry.
#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>

#include <fcntl.h>

/// A file without a name, in the folder that open(2) is given.
static const int TERN_O_TMPFILE = __O_TMPFILE;

/// prctl(2) takes variable arguments, which Swift cannot call. The kernel keeps 15 bytes of the name.
static inline void tern_name_current_thread(const char *name) { prctl(PR_SET_NAME, name); }
