// SPDX-License-Identifier: Apache-2.0

/// Identifies a look-up, so that it can be cancelled.
public struct LookUpTicket: Sendable {
    let name: LookUpName
    let number: Int
}
