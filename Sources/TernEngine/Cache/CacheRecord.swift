// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The stored responses of one URL as a file: one record a line, all ASCII, with a checksum at the end of each line. A
/// line that is damaged, or of another version, spoils nothing but itself; those of other versions are kept.
struct CacheRecords {
    private static let version = Array("tern1".utf8)
    private static let lineFeed = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// In the order of the file.
    private(set) var responses: [StoredResponse] = []
    /// The lines of other versions, each with its end.
    private(set) var otherLines: [UInt8] = []
    /// The number of lines that could not be read.
    private(set) var damagedLineCount = 0

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: Self.lineFeed) {
            if let response = Self.response(line) {
                responses.append(response)
            } else if Self.isOfOtherVersion(line) {
                otherLines += line + [Self.lineFeed]
            } else {
                damagedLineCount += 1
            }
        }
    }

    private static func isOfOtherVersion(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: Array("tern".utf8)), let end = line.firstIndex(of: space) else { return false }
        let number = line[..<end].dropFirst(4)
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) } && !number.elementsEqual([0x31])
    }

    /// The content of a file with these responses.
    static func bytes(of responses: [StoredResponse], after otherLines: [UInt8]) -> [UInt8] {
        responses.reduce(into: otherLines) { $0 += line($1) }
    }

    private static func line(_ response: StoredResponse) -> [UInt8] {
        let varying = response.varyingFields.map { field in
            escaped(Array(field.name.utf8)) + (field.value.map { Array("=".utf8) + escaped($0) } ?? [])
        }
        let parts: [[UInt8]] = [
            version, Array(response.contentName.utf8), Array("\(response.contentLength)".utf8),
            Array("\(response.requestTime)".utf8), Array("\(response.responseTime)".utf8),
            escaped(Array(response.scope.utf8)),
            escaped(Array(response.url.utf8)), Array("v".utf8) + Array(varying.joined(separator: Array("&".utf8))),
            escaped(response.head.encoded),
        ]
        let line = Array(parts.joined(separator: [space]))
        return line + [space] + checksum(line[...]) + [lineFeed]
    }

    private static func response(_ line: ArraySlice<UInt8>) -> StoredResponse? {
        guard let end = line.lastIndex(of: space), line[(end + 1)...].elementsEqual(checksum(line[..<end])) else {
            return nil
        }
        let parts = line[..<end].split(separator: space, omittingEmptySubsequences: false)
        guard parts.count == 9, parts[0].elementsEqual(version), isName(parts[1]), let length = number(parts[2]),
            length >= 0, let requestTime = number(parts[3]), let responseTime = number(parts[4]),
            let scope = unescaped(parts[5]), let url = unescaped(parts[6]), let varying = varyingFields(parts[7]),
            let encoded = unescaped(parts[8]), let head = try? ResponseHead(encoded: encoded)
        else { return nil }
        return StoredResponse(
            url: String(decoding: url, as: UTF8.self), scope: String(decoding: scope, as: UTF8.self),
            varyingFields: varying, head: head, requestTime: requestTime, responseTime: responseTime,
            contentLength: length, contentName: String(decoding: parts[1], as: UTF8.self))
    }

    private static func varyingFields(_ part: ArraySlice<UInt8>) -> [StoredResponse.VaryingField]? {
        guard part.first == UInt8(ascii: "v") else { return nil }
        var fields: [StoredResponse.VaryingField] = []
        for field in part.dropFirst().split(separator: UInt8(ascii: "&")) {
            let ends = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescaped(ends[0]) else { return nil }
            var value: [UInt8]?
            if ends.count > 1 {
                guard let bytes = unescaped(ends[1]) else { return nil }
                value = bytes
            }
            fields.append(.init(name: String(decoding: name, as: UTF8.self), value: value))
        }
        return fields
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? { Int64(String(decoding: digits, as: UTF8.self)) }

    /// A content name becomes part of a path.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        !name.isEmpty && name.count <= 64
            && name.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Bytes that stay as they are.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"),
            UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "_"), UInt8(ascii: "*"):
            true
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count * 5 / 4)
        for byte in bytes {
            if isPlain(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return escaped
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? { PercentEncoding.decoded(text) }

    /// FNV-1a of 64 bits in hexadecimal.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<16).map { digits[Int(truncatingIfNeeded: sum >> (60 - 4 * UInt64($0)) & 15)] }
    }
}
