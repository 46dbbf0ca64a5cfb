// SPDX-License-Identifier: Apache-2.0
// The reactor's calls take descriptors and throw the errors of system calls.

@_exported public import TernSystem
