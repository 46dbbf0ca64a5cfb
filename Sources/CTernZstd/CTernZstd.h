// SPDX-License-Identifier: Apache-2.0
// zstd's headers as a Swift module; nothing here adds behaviour.
#pragma once

#include <zstd.h>
#include <zstd_errors.h>
