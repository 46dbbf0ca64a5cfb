// SPDX-License-Identifier: Apache-2.0

/// Bytes of which no part is like another. Made once: without optimisation that takes a quarter of a second.
enum Pattern {
    static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
}
