// SPDX-License-Identifier: Apache-2.0

/// The argument of `-r`.
enum RangeOption {
    /// As in curl, a number alone is the offset of the first byte: "4" is "4-".
    static func range(_ argument: String) -> String {
        let digits = argument.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty, !argument.utf8.contains(UInt8(ascii: "-")) else { return argument }
        return String(Substring(digits)) + "-"
    }
}
