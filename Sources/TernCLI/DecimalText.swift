// SPDX-License-Identifier: Apache-2.0

/// Numbers as the reports show them.
enum DecimalText {
    /// Rounded, with this number of digits, up to 9, behind the point.
    static func fixed(_ value: Double, digits: Int) -> String {
        let factor = (0..<digits).reduce(1) { all, _ in all * 10 }
        guard let scaled = Int64(exactly: (value * Double(factor)).rounded(.toNearestOrEven)) else { return "\(value)" }
        let (whole, part) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(factor))
        let sign = scaled < 0 ? "-" : ""
        if digits == 0 { return sign + String(whole) }
        let text = String(part)
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// With up to six digits behind the point, and no more than it needs.
    static func short(_ value: Double) -> String {
        var text = fixed(value, digits: 6)[...]
        guard text.utf8.contains(UInt8(ascii: ".")) else { return String(text) }
        while text.last == "0" { text = text.dropLast() }
        return String(text.last == "." ? text.dropLast() : text)
    }
}
