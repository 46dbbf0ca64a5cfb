// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTesting
import Testing

@testable import Tern

@Suite struct PropertyListCheckTests {
    private func verdict(_ bytes: some Sequence<UInt8>) -> PropertyListLimit? {
        let bytes = Array(bytes)
        do throws(PropertyListLimit) {
            try PropertyListCheck.check(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    /// Arrays of which each names the next one this often; the last is empty.
    private func chain(of levels: Int, naming times: Int) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var offsets: [Int] = []
        for level in 0..<levels {
            offsets.append(list.count)
            let isLast = level == levels - 1
            list.append(isLast ? 0xa0 : 0xa0 | UInt8(times))
            if isLast { continue }
            for _ in 0..<times { list += bigEndian(level + 1, 4) }
        }
        let table = list.count
        for offset in offsets { list += bigEndian(offset, 4) }
        list += [0, 0, 0, 0, 0, 0, 4, 4]
        return list + bigEndian(levels, 8) + bigEndian(0, 8) + bigEndian(table, 8)
    }

    private func bigEndian(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    @Test func `options that Foundation does not know have no effect`() throws {
        let list = Data(#"<plist version="1.0"><string>x</string></plist>"#.utf8)
        let result = ResponseSerialization.propertyList(.init(rawValue: .max), nil, list, nil)
        #expect(try result.get() as? String == "x")
    }

    @Test(arguments: [20, 100, 400])
    func `a binary list that names its arrays twice is refused before it is expanded`(levels: Int) {
        let list = chain(of: levels, naming: 2)
        let start = ThreadClock.now
        let verdict = verdict(list)
        #expect(ThreadClock.now - start < 0.05)
        #expect(verdict == .tooManyObjects)
        let result = ResponseSerialization.propertyList([], nil, Data(list), nil)
        guard case .failure(AFError.responseSerializationFailed(.propertyListSerializationFailed(let error))) = result
        else {
            Issue.record("\(result)")
            return
        }
        #expect(error as? PropertyListLimit == .tooManyObjects)
    }

    /// A list of one array with one member.
    private func array(of member: [UInt8]) -> [UInt8] {
        let list = Array("bplist00".utf8) + [0xa1, 0x01] + member
        return list + [8, 10] + [0, 0, 0, 0, 0, 0, 1, 1] + bigEndian(2, 8) + bigEndian(0, 8) + bigEndian(list.count, 8)
    }

    private func date(_ seconds: Double) -> [UInt8] { [0x33] + bigEndian(Int(bitPattern: UInt(seconds.bitPattern)), 8) }

    @Test func `a value of a kind that property lists have passes, and can be described`() throws {
        let members: [[UInt8]] =
            [
                [0x08], [0x09], [0x10, 5], [0x11, 1, 2], [0x12, 1, 2, 3, 4], [0x13] + bigEndian(-1, 8),
                [0x14] + Array(repeating: 0, count: 8) + bigEndian(-1, 8), [0x22, 0x7f, 0xc0, 0, 0],
                [0x23] + bigEndian(1, 8),
                [0x42, 1, 2], [0x52, 0x61, 0x62], [0x61, 0x20, 0xac], [0x5f, 0x10, 1, 0x61], [0x80, 5], [0x81, 1, 2],
                [0x83, 0, 0, 0, 5], [0x87] + bigEndian(5, 8),
            ] + [0, 1, -1, 1e9, -1e12, 1e18, 1e300, -.greatestFiniteMagnitude].map(date)
        for member in members {
            #expect(verdict(array(of: member)) == nil, "\(member)")
            let result = ResponseSerialization.propertyList([], nil, Data(array(of: member)), nil)
            #expect(!"\(result)".isEmpty)
            if case .failure(let error) = result { Issue.record("\(member): \(error)") }
        }
    }

    @Test func `a value of another kind is refused: null, fill, sets, dates that are no number`() {
        let known: [ClosedRange<UInt8>] = [
            0x08...0x09, 0x10...0x14, 0x22...0x23, 0x33...0x33, 0x40...0x6f, 0x80...0x8f, 0xa0...0xaf, 0xd0...0xdf,
        ]
        for marker in UInt8.min...UInt8.max where !known.contains(where: { $0.contains(marker) }) {
            #expect(verdict(array(of: [marker] + Array(repeating: 0, count: 64))) == .malformed, "\(marker)")
        }
        for seconds in [Double.nan, .infinity, -.infinity, .signalingNaN] {
            #expect(verdict(array(of: date(seconds))) == .malformed)
            let alone = Array("bplist00".utf8) + date(seconds) + [8]
            #expect(
                verdict(alone + [0, 0, 0, 0, 0, 0, 1, 1] + bigEndian(1, 8) + bigEndian(0, 8) + bigEndian(17, 8))
                    == .malformed)
        }
        #expect(verdict(array(of: [0x33, 0])) == .malformed)
    }

    @Test func `a binary list is nested 512 deep at most`() {
        #expect(verdict(chain(of: 512, naming: 1)) == nil)
        #expect(verdict(chain(of: 513, naming: 1)) == .tooDeep)
        #expect(verdict(chain(of: 100_000, naming: 1)) == .tooDeep)
    }

    @Test(arguments: [0xb0, 0xc0] as [UInt8]) func `a binary list with a set is malformed`(kind: UInt8) {
        var list = chain(of: 3, naming: 1)
        list[13] = kind | 1  // The second array becomes a set.
        #expect(verdict(list) == .malformed)
    }

    @Test func `a keyed archive passes and can be described and compared, and a UID is no key`() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSDictionary(dictionary: ["a": NSArray(array: [1, "b", Data([1])]), "c": NSNull()]),
            requiringSecureCoding: false)
        #expect(verdict(archive) == nil)
        let read = ResponseSerialization.propertyList([], nil, archive, nil).value as? [String: Any]
        #expect((read?["$objects"] as? [Any])?.isEmpty == false)
        #expect("\(read as Any)".contains("$objects"))
        // UIDs are equal to themselves alone.
        _ = (read as NSDictionary?)?.isEqual(read)
        // A dictionary whose key is a UID and whose value is a string, and the other way round.
        let members: [[UInt8]] = [[0x80, 5], [0x51, 0x61]]
        for (key, value, expected) in [(1, 2, PropertyListLimit.malformed), (2, 1, nil)] as [(UInt8, UInt8, _)] {
            let list = Array("bplist00".utf8) + [0xd1, key, value] + members[0] + members[1] + [8, 11, 13]
            let trailer = [0, 0, 0, 0, 0, 0, 1, 1] + bigEndian(3, 8) + bigEndian(0, 8) + bigEndian(15, 8)
            #expect(verdict(list + trailer) == expected)
        }
    }

    @Test func `a binary list that holds itself, or points outside, is malformed`() {
        var list = chain(of: 3, naming: 1)
        list[17] = 0  // The second array names the first.
        #expect(verdict(list) == .malformed)
        list[17] = 9
        #expect(verdict(list) == .malformed)
        #expect(verdict("bplist00".utf8) == .malformed)
        #expect(verdict(Array("bplist00".utf8) + Array(repeating: 0xff, count: 64)) == .malformed)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `what Foundation writes passes, and is read`(format: PropertyListSerialization.PropertyListFormat) throws {
        let value: [String: Any] = [
            "many": (0..<1_000).map { ["name": "the same", "number": $0, "on": $0 % 2 == 0] as [String: Any] },
            "data": Data([1, 2]), "date": Date(timeIntervalSince1970: 0), "text": "a < b && \"c\" ( {", "none": [Int](),
        ]
        let list = try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
        #expect(verdict(list) == nil)
        let read = ResponseSerialization.propertyList([], nil, list, nil).value as? [String: Any]
        #expect((read?["many"] as? [Any])?.count == 1_000)
    }

    @Test(arguments: [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian])
    func `an XML list is nested 512 deep at most, in any encoding`(encoding: String.Encoding) throws {
        func list(_ depth: Int) throws -> Data {
            let text =
                "<?xml version=\"1.0\"?><!DOCTYPE plist><!-- <a> -- <b> --><plist version=\"1.0\">"
                + String(repeating: "<array><true/>", count: depth) + String(repeating: "</array>", count: depth)
                + "</plist>"
            return try #require(text.data(using: encoding))
        }
        #expect(verdict(try list(512)) == nil)
        #expect(verdict(try list(513)) == .tooDeep)
        #expect(verdict(try list(100_000)) == .tooDeep)
    }

    @Test func `a list in OpenStep's format is nested 512 deep at most`() {
        #expect(verdict((String(repeating: "({a=", count: 200) + "\"((\\\"((\"").utf8) == nil)
        #expect(verdict(String(repeating: "(", count: 512).utf8) == nil)
        #expect(verdict(String(repeating: "(", count: 513).utf8) == .tooDeep)
        #expect(verdict("".utf8) == nil)
    }
}

@Suite struct PropertyListLimitTests {
    @Test func `the number of objects grows with the length, and a short list has room`() {
        #expect(PropertyListLimit.objects(in: 0) == 1_024)
        #expect(PropertyListLimit.objects(in: 1_000) == 9_024)
    }

    @Test func `a description names the limit`() {
        #expect("\(PropertyListLimit.tooDeep)".contains("512"))
    }
}

@Suite struct TextNestingTests {
    private func read(_ text: String) throws(PropertyListLimit) {
        var nesting = TextNesting()
        for byte in text.utf8 { try nesting.take(byte) }
    }

    @Test func `brackets nest, and close`() throws {
        let open = String(repeating: "(", count: PropertyListLimit.depth)
        try read(open)
        #expect(throws: PropertyListLimit.tooDeep) { try read(open + "{") }
        try read(String(repeating: "({})", count: PropertyListLimit.depth))
    }

    @Test func `brackets in quotes do not nest`() throws {
        let brackets = String(repeating: "(", count: PropertyListLimit.depth + 1)
        try read("\"" + brackets + "\"")
        try read("'\\'" + brackets + "'")
    }
}

@Suite struct XMLNestingTests {
    private func read(_ text: String) throws(PropertyListLimit) {
        var nesting = XMLNesting()
        for byte in text.utf8 { try nesting.take(byte) }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }

    @Test func `elements are nested one deeper than collections`() throws {
        try read(nested(PropertyListLimit.depth + 1))
        #expect(throws: PropertyListLimit.tooDeep) { try read(nested(PropertyListLimit.depth + 2)) }
    }

    @Test func `comments, declarations and empty elements do not nest`() throws {
        let count = PropertyListLimit.depth * 2
        try read(String(repeating: "<!-- <array> --><?xml?><array/><!DOCTYPE plist>", count: count))
    }
}
