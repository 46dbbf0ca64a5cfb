// SPDX-License-Identifier: Apache-2.0

/// What a sender may write (RFC 9110 §5, RFC 9112 §3).
extension Span<UInt8> {
    /// `token`: not empty.
    var isTokenText: Bool {
        !isEmpty && firstNonToken(from: 0) == count
    }

    /// Visible ASCII, not empty, and no fragment, which is the client's own affair (RFC 9110 §4.2.5).
    var isTargetText: Bool {
        for index in indices where !self[index].isVisible || self[index] == UInt8(ascii: "#") { return false }
        return !isEmpty
    }

    /// The first byte no field value may contain: every control character but the tab (RFC 9110 §5.5).
    var firstForbiddenInValue: Int {
        for index in indices {
            let byte = self[index]
            if byte < .space && byte != .horizontalTab || byte == 0x7F { return index }
        }
        return count
    }
}
