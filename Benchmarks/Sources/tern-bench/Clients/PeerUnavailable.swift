// SPDX-License-Identifier: Apache-2.0

/// A peer that cannot be measured here, and why.
struct PeerUnavailable: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
