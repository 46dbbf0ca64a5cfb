// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

@testable import TernURLSessionNames

@Suite struct DataURLTests {
    /// The rules, read character by character.
    private static func plainly(_ text: String) -> (type: String, content: Data)? {
        guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == "data",
            let comma = text[colon...].firstIndex(of: ",")
        else { return nil }
        var parts = text[text.index(after: colon)..<comma].split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? "" }
        let isInBase64 = parts.count > 1 && parts.last?.lowercased().trimmingCharacters(in: .whitespaces) == "base64"
        if isInBase64 { parts.removeLast() }
        var (bytes, rest) = ([UInt8](), text[text.index(after: comma)...].prefix { $0 != "#" })
        while let character = rest.popFirst() {
            let digits = character == "%" ? rest.prefix(2) : ""
            if character != "%" { bytes += Array(character.utf8) }
            if character == "%", digits.count == 2, digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16)
            {
                bytes.append(byte)
                rest = rest.dropFirst(2)
            } else if character == "%" {
                return nil
            }
        }
        if isInBase64 {
            bytes.removeAll { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            while !bytes.contains(UInt8(ascii: "=")), bytes.count % 4 > 0 {
                bytes += [UInt8](repeating: UInt8(ascii: "="), count: 4 - bytes.count % 4)
            }
        }
        guard let content = isInBase64 ? Data(base64Encoded: Data(bytes)) : Data(bytes) else { return nil }
        let type = parts.first?.trimmingCharacters(in: .whitespaces) ?? ""
        let joined = ([type.isEmpty ? "text/plain" : type] + parts.dropFirst()).joined(separator: ";")
        return joined.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? (joined, content) : nil
    }

    @Test(.proves("14.3a")) func `short URLs contain what the rules say`() {
        var random = SystemRandomNumberGenerator()
        let words = [
            "data", ":", "DATA:", "data:", "data:", "data:", ",", ",", ";", ";", ";base64", ";BASE64 ,", "%20", "%",
            "%4", "%41",
            "%zz", "%C3%BC", "%FF", "%0d", "text/html", " ", "a", "QUJD", "QU", "=", "==", "#", "\n", "\t", "é",
            "charset=x", "%3b",
            "%2C", "+", "/", "-",
        ]
        for _ in 0..<50_000 {
            let head = ["data:", "data:;base64,", ""].randomElement(using: &random) ?? ""
            let tail = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in words.randomElement(using: &random)
            }
            let text = head + tail.joined()
            let (found, expected) = (DataURL(text), Self.plainly(text))
            guard found?.mediaType == expected?.type, found?.content == expected?.content else {
                Issue.record(
                    "\(text.debugDescription): \(String(describing: found)), not \(String(describing: expected))")
                return
            }
        }
    }

    @Test(.proves("14.3b"), arguments: [";", ";a", ";%41", ";\u{301}"])
    func `many parameters cost each of them once`(parameter: String) {
        func time(of count: Int) -> Duration {
            let text = "data:" + String(repeating: parameter, count: count) + ",x"
            // The shortest of some: the others were interrupted.
            return (0..<5).map { _ in ContinuousClock().measure { _ = DataURL(text) } }.reduce(.seconds(60), min)
        }
        // Sixteen times as many: quadratic work would cost 256 times as much.
        let (few, many) = (time(of: 2000), time(of: 32_000))
        #expect(many < few * 80)
    }

    @Test func `a megabyte is decoded whole`() {
        let content = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        #expect(DataURL("data:image/png;base64," + content.base64EncodedString())?.content == content)
        #expect(DataURL("data:image/png;base64,QUJD\r\n QUI#x") == DataURL("data:image/png;base64,QUJDQUI%3D"))
    }
}
