// SPDX-License-Identifier: Apache-2.0
// The errors of every call of this module.

@_exported public import TernSystem
