// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// One stored response in a file of records, read but for its head: a look-up compares many records, and uses one.
///
/// The URL and the values of the request's fields are only compared. They may be secrets, so a record has digests of them.
struct CacheRecord: Sendable {
    /// What is beyond this no disk holds, and no clock shows: such numbers are damage, and sums of others have a value.
    private static let maximumLength: Int64 = 1 << 56
    private static let maximumTime: Int64 = 1 << 40

    fileprivate static let space = UInt8(ascii: " ")
    private static let version = Array("tern2".utf8)
    /// Records of this version have a word more, and the head that a program has stored.
    private static let givenVersion = Array("tern3".utf8)
    /// Records of this version hold the URL and the values themselves. They are read, and written in the present form.
    private static let formerVersion = Array("tern1".utf8)

    let contentName: String
    let contentLength: Int64
    let requestTime: Int64
    let responseTime: Int64
    let scope: String
    /// The digest of the response's URL.
    let key: String
    let varyingFields: [StoredResponse.VaryingField]
    /// The line of the record in the present version, with its checksum and its end.
    let line: [UInt8]
    /// The head, escaped, in the line.
    private let head: Range<Int>
    /// What the head of a program says of the coding of its content; nil for the head of a session.
    private let coding: Coding?

    /// Whether content of a program is coded as the head says, or decoded.
    private enum Coding: String {
        case coded, decoded
    }

    init(_ response: StoredResponse) {
        contentName = response.contentName
        contentLength = response.contentLength
        (requestTime, responseTime) = (response.requestTime, response.responseTime)
        (scope, key, varyingFields) = (response.scope, Self.key(of: response.url), response.varyingFields)
        // A head whose fields contradict each other could not be read again.
        let given = response.given?.response
        let encoded = given?.head.encoded
        let readable = encoded.flatMap { (try? ResponseHead(encoded: $0)) == nil ? nil : $0 }
        coding = readable == nil ? nil : given?.isContentDecoded == true ? .decoded : .coded
        (line, head) = Self.line(
            ["\(contentName)", "\(contentLength)", "\(requestTime)", "\(responseTime)"], scope, key, varyingFields,
            Self.escaped(readable ?? response.head.encoded), coding)
    }

    /// The digest of a URL: the name of the file that has its records.
    static func key(of url: String) -> String { CacheScope.digest(of: [Array(url.utf8)]) }

    /// Nil if the head cannot be read. The caller knows the URL, because it has the key.
    func response(url: String) -> StoredResponse? {
        guard let encoded = PercentEncoding.decoded(line[head]), var head = try? ResponseHead(encoded: encoded)
        else { return nil }
        let given = coding.map { GivenResponse(url: nil, head: head, isDecoded: $0 == .decoded) }
        if let given {
            let answering = StoredResponse.head(
                answeringWith: given, contentLength: contentLength, responseTime: responseTime)
            guard let answering else { return nil }
            head = answering
        }
        return StoredResponse(
            url: url, scope: scope, varyingFields: varyingFields, head: head, requestTime: requestTime,
            responseTime: responseTime, contentLength: contentLength, contentName: contentName, given: given)
    }

    /// Whether the response answers the same requests: it takes the place of this one.
    func isReplaced(by response: StoredResponse) -> Bool {
        scope == response.scope && varyingFields == response.varyingFields
    }

    private static func line(
        _ first: [String], _ scope: String, _ key: String, _ varyingFields: [StoredResponse.VaryingField],
        _ escapedHead: [UInt8], _ coding: Coding?
    ) -> (line: [UInt8], head: Range<Int>) {
        let varying = varyingFields.map { field in
            escaped(Array(field.name.utf8)) + (field.digest.map { Array("=\($0)".utf8) } ?? [])
        }
        var line = coding == nil ? version : givenVersion
        for part in first { line += [space] + Array(part.utf8) }
        line += [space] + escaped(Array(scope.utf8)) + [space] + Array(key.utf8)
        line += [space] + Array("v".utf8) + Array(varying.joined(separator: Array("&".utf8))) + [space]
        if let coding { line += Array(coding.rawValue.utf8) + [space] }
        let head = line.count..<(line.count + escapedHead.count)
        line += escapedHead
        let sum = CacheRecords.checksum(line[...])
        return (line + [space] + sum + [CacheRecords.lineFeed], head)
    }

    /// Reads a line without its end. Nil if it is damaged, or of a version that is not known.
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        guard let end = line.lastIndex(of: Self.space),
            line[(end + 1)...].elementsEqual(CacheRecords.checksum(line[..<end]))
        else { return nil }
        let parts = line[..<end].split(separator: Self.space, omittingEmptySubsequences: false)
        let isGiven = parts[0].elementsEqual(Self.givenVersion)
        guard parts.count == (isGiven ? 10 : 9), Self.isName(parts[1]),
            let length = Self.number(parts[2], 0...Self.maximumLength),
            let requestTime = Self.number(parts[3], -Self.maximumTime...Self.maximumTime),
            let responseTime = Self.number(parts[4], -Self.maximumTime...Self.maximumTime),
            let scope = PercentEncoding.decoded(parts[5])
        else { return nil }
        contentName = String(decoding: parts[1], as: UTF8.self)
        (contentLength, self.requestTime, self.responseTime) = (length, requestTime, responseTime)
        self.scope = String(decoding: scope, as: UTF8.self)
        if isGiven || parts[0].elementsEqual(Self.version) {
            guard let varyingFields = Self.varyingFields(parts[7], Self.digest) else { return nil }
            guard let key = Self.digestText(parts[6]) else { return nil }
            (self.key, self.varyingFields) = (key, varyingFields)
            coding = isGiven ? Coding(rawValue: String(decoding: parts[8], as: UTF8.self)) : nil
            if isGiven, coding == nil { return nil }
            self.line = Array(line) + [CacheRecords.lineFeed]
            let head = parts[parts.count - 1]
            self.head = (head.startIndex - line.startIndex)..<(head.endIndex - line.startIndex)
        } else {
            guard parts[0].elementsEqual(Self.formerVersion), let url = PercentEncoding.decoded(parts[6]),
                let varyingFields = Self.varyingFields(parts[7], Self.clear)
            else { return nil }
            (key, self.varyingFields, coding) = (CacheScope.digest(of: [url]), varyingFields, nil)
            (self.line, head) = Self.line(
                parts[1...4].map { String(decoding: $0, as: UTF8.self) }, self.scope, key, varyingFields,
                Array(parts[8]), nil)
        }
    }

    private static func varyingFields(
        _ part: ArraySlice<UInt8>, _ value: (ArraySlice<UInt8>) -> StoredResponse.VaryingField.Value?
    ) -> [StoredResponse.VaryingField]? {
        guard part.first == UInt8(ascii: "v") else { return nil }
        var fields: [StoredResponse.VaryingField] = []
        for field in part.dropFirst().split(separator: UInt8(ascii: "&")) {
            let ends = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(ends[0]) else { return nil }
            let known = ends.count > 1 ? value(ends[1]) : nil
            if ends.count > 1, known == nil { return nil }
            fields.append(.init(name: String(decoding: name, as: UTF8.self), value: known))
        }
        return fields
    }

    private static func digest(_ text: ArraySlice<UInt8>) -> StoredResponse.VaryingField.Value? {
        digestText(text).map { .digest($0) }
    }

    private static func clear(_ text: ArraySlice<UInt8>) -> StoredResponse.VaryingField.Value? {
        PercentEncoding.decoded(text).map { .clear($0) }
    }

    private static func digestText(_ text: ArraySlice<UInt8>) -> String? {
        text.count == 32 && isName(text) ? String(decoding: text, as: UTF8.self) : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>, _ range: ClosedRange<Int64>) -> Int64? {
        Int64(String(decoding: digits, as: UTF8.self)).flatMap { range.contains($0) ? $0 : nil }
    }

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

    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count * 5 / 4)
        for byte in bytes {
            if isPlain(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), CacheRecords.digit(byte >> 4), CacheRecords.digit(byte & 15)]
            }
        }
        return escaped
    }
}

/// The stored responses of one URL as a file: one record a line, all ASCII, with a checksum at the end of each line. A
/// line that is damaged, or of another version, spoils nothing but itself; those of other versions are kept.
struct CacheRecords {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    private static let knownVersions = [UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "3")]

    /// In the order of the file.
    private(set) var records: [CacheRecord] = []
    /// The lines of other versions, each with its end.
    private(set) var otherLines: [UInt8] = []
    /// The number of lines that could not be read.
    private(set) var damagedLineCount = 0

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: Self.lineFeed) {
            if let record = CacheRecord(line) {
                records.append(record)
            } else if Self.isOfOtherVersion(line) {
                otherLines += line + [Self.lineFeed]
            } else {
                damagedLineCount += 1
            }
        }
    }

    private static func isOfOtherVersion(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: Array("tern".utf8)), let end = line.firstIndex(of: CacheRecord.space) else {
            return false
        }
        let number = line[..<end].dropFirst(4)
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
            && !knownVersions.contains { number.elementsEqual([$0]) }
    }

    /// The content of a file with these records.
    static func bytes(of records: [CacheRecord], after otherLines: [UInt8]) -> [UInt8] {
        records.reduce(into: otherLines) { $0 += $1.line }
    }

    fileprivate static func digit(_ number: UInt8) -> UInt8 { number < 10 ? 0x30 + number : 0x37 + number }

    /// FNV-1a of 64 bits in hexadecimal.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (0..<16).map { digit(UInt8(truncatingIfNeeded: sum >> (60 - 4 * UInt64($0)) & 15)) }
    }
}
