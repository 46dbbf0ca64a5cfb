// SPDX-License-Identifier: Apache-2.0

/// An IPv6 address in one of its spellings (RFC 4291 §2.2), and its usual text (RFC 5952), so that a host has one form
/// wherever hosts are compared.
enum IPv6Host {
    /// The usual text of an address; nil for what is none.
    ///
    /// - Parameter text: without brackets and without a zone.
    static func usualText(of text: Span<UInt8>) -> String? { words(text).map(self.text) }

    /// The eight groups; nil for what is no address.
    private static func words(_ text: Span<UInt8>) -> [UInt16]? {
        var (words, gap, place): ([UInt16], Int?, Int) = ([], nil, 0)
        if text.count > 1, text[0] == .colon {
            guard text[1] == .colon else { return nil }
            (gap, place) = (0, 2)
        }
        while place < text.count {
            guard words.count < 8, let group = group(text, from: place) else { return nil }
            if group.end < text.count, text[group.end] == UInt8(ascii: ".") {
                // An IPv4 address stands for the last two groups.
                guard words.count < 7,
                    case .address(let address, isUsual: true) =
                        IPv4Host(text.extracting(place..<text.count))
                else { return nil }
                words += [UInt16(truncatingIfNeeded: address &>> 16), UInt16(truncatingIfNeeded: address)]
                break
            }
            words.append(group.word)
            place = group.end
            if place == text.count { break }
            guard text[place] == .colon, place &+ 1 < text.count else { return nil }
            place &+= 1
            if text[place] == .colon {
                guard gap == nil else { return nil }
                gap = words.count
                place &+= 1
            }
        }
        guard let gap else { return words.count == 8 ? words : nil }
        guard words.count < 8 else { return nil }
        words.insert(contentsOf: repeatElement(0, count: 8 &- words.count), at: gap)
        return words
    }

    /// One to four hexadecimal digits.
    private static func group(_ text: Span<UInt8>, from start: Int) -> (word: UInt16, end: Int)? {
        var (word, end): (UInt16, Int) = (0, start)
        while end < text.count, end &- start < 4, text[end].hexadecimalDigit < 16 {
            word = word &<< 4 | UInt16(text[end].hexadecimalDigit)
            end &+= 1
        }
        return end == start ? nil : (word, end)
    }

    /// The first of the longest runs of two zeros or more is left out (RFC 5952 §4.2). An IPv4 address within is written as
    /// one (§5), as inet_ntop(3) does.
    private static func text(_ words: [UInt16]) -> String {
        var (gap, length, run) = (0, 1, 0)
        for index in words.indices {
            run = words[index] == 0 ? run &+ 1 : 0
            if run > length { (gap, length) = (index &+ 1 &- run, run) }
        }
        if length == 1 { return words.map(hexadecimal).joined(separator: ":") }
        let head = words[..<gap].map(hexadecimal).joined(separator: ":")
        if gap == 0, length == 6 || length == 5 && words[5] == 0xFFFF {
            let address = IPv4Host.text(UInt32(words[6]) &<< 16 | UInt32(words[7]))
            return length == 6 ? "::\(address)" : "::ffff:\(address)"
        }
        return head + "::" + words[(gap &+ length)...].map(hexadecimal).joined(separator: ":")
    }

    private static func hexadecimal(_ word: UInt16) -> String { String(word, radix: 16) }
}
