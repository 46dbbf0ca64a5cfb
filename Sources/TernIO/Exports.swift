// SPDX-License-Identifier: Apache-2.0
// The reactor's calls take descriptors and throw errors of the system calls.

@_exported public import TernSystem
