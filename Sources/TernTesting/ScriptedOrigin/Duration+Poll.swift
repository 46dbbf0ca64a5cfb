// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole milliseconds for `poll`, rounded down, at most some 24 days.
    var pollTimeout: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: min(seconds, 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
