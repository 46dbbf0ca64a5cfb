// SPDX-License-Identifier: Apache-2.0
// The error of `install()`.

@_exported public import struct TernSystem.SystemCallError
