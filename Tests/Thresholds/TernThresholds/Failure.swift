// SPDX-License-Identifier: Apache-2.0

/// Nothing was measured, or nothing that means anything.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
