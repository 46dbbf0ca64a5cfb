// SPDX-License-Identifier: Apache-2.0

/// Checks property lists of the three formats against `PropertyListLimit` before they are parsed.
enum PropertyListCheck {
    /// Throws if the list is nested too deep, or has too many objects. The parser reports all other errors.
    static func check(_ bytes: Span<UInt8>) throws(PropertyListLimit) {
        if begins(bytes, with: "bplist") {
            var table = try BinaryPropertyList(bytes)
            return try table.check(bytes)
        }
        var place = 0
        while place < bytes.count, bytes[place] <= 0x20 || bytes[place] >= 0xbb { place += 1 }
        if place < bytes.count, bytes[place] == UInt8(ascii: "<") {
            var text = XMLNesting()
            for index in bytes.indices { try text.take(bytes[index]) }
        } else {
            var text = TextNesting()
            for index in bytes.indices { try text.take(bytes[index]) }
        }
    }

    private static func begins(_ bytes: Span<UInt8>, with text: String) -> Bool {
        var place = 0
        for byte in text.utf8 {
            if place >= bytes.count || bytes[place] != byte { return false }
            place += 1
        }
        return true
    }
}
