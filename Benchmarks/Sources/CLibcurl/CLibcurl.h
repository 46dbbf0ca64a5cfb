// SPDX-License-Identifier: Apache-2.0
// No `link` line in the module map: the flags come from pkg-config, so that the benchmark builds without libcurl too.
#pragma once

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#endif
