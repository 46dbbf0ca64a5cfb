// SPDX-License-Identifier: Apache-2.0
// The symbols of the engine that a user of this module needs, and what Foundation adds to them.

@_exported public import TernFoundation
