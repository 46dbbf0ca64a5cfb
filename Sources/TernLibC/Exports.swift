// SPDX-License-Identifier: Apache-2.0
// The one place that knows which C library the system has.
#if canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Glibc
#endif
