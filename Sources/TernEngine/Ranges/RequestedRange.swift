// SPDX-License-Identifier: Apache-2.0

/// The first byte that a `Range` field requests (RFC 9110 §14.2).
struct RequestedRange {
    /// Nil if the server decides: the last bytes, several parts, or not a range in bytes.
    let first: Int64?

    init(_ value: String) {
        let words = value.split(separator: "=", omittingEmptySubsequences: false)
        let ends = words.last?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard words.count == 2, words[0].lowercased() == "bytes", ends.count == 2 else {
            first = nil
            return
        }
        first = Int64(ends[0])
    }
}
