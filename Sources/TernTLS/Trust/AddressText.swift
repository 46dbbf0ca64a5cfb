// SPDX-License-Identifier: Apache-2.0

/// IP addresses in the one spelling RFC 5952 leaves.
enum AddressText {
    /// Nil for what is neither 4 nor 16 octets.
    static func text(_ octets: [UInt8]) -> String? {
        switch octets.count {
        case 4: octets.map(String.init).joined(separator: ".")
        case 16: ipv6(stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) })
        default: nil
        }
    }

    /// The longest run of two or more zeros, the first of several, becomes `::`.
    private static func ipv6(_ groups: [UInt16]) -> String {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > max(1, longest.count) { longest = start..<(index + 1) }
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
