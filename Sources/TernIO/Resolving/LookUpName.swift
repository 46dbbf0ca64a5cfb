// SPDX-License-Identifier: Apache-2.0

/// The host and port of a look-up. Look-ups of equal names share one call.
struct LookUpName: Sendable, Hashable {
    let host: String
    let port: UInt16
}
