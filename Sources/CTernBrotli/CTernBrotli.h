// SPDX-License-Identifier: Apache-2.0
// brotli's headers as a Swift module; nothing here adds behaviour.
#pragma once

#include <brotli/decode.h>
#include <brotli/encode.h>
