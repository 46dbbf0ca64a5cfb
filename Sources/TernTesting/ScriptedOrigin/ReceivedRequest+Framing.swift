// SPDX-License-Identifier: Apache-2.0

extension ReceivedRequest {
    /// False only if the head has neither Content-Length nor Transfer-Encoding. Most requests have no body, and this
    /// search of the bytes avoids creating strings: `c` or `t` after a line feed, and a hyphen at the position in the
    /// names.
    var announcesBody: Bool {
        var start = 0
        while let feed = head[start...].firstIndex(of: UInt8(ascii: "\n")) {
            start = feed + 1
            guard start + 8 < head.count else { return false }
            let initial = head[start] | 0x20
            if initial == UInt8(ascii: "c"), head[start + 7] == UInt8(ascii: "-") { return true }
            if initial == UInt8(ascii: "t"), head[start + 8] == UInt8(ascii: "-") { return true }
        }
        return false
    }
}
