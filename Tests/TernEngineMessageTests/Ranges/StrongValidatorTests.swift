// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct StrongValidatorTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func head(_ fields: [(String, String)]) throws -> ResponseHead {
        let fields = fields.map { HeaderField(name: $0.0, value: $0.1) }
        return try HTTPURLResponse(url: nil, statusCode: 200, headers: HeaderFields(fields)).head
    }

    @Test func `a strong entity tag is one, and comes before a date`() throws {
        let head = try head([
            ("ETag", "\"a b\""), ("Last-Modified", Self.date), ("Date", "Mon, 07 Nov 1994 08:49:37 GMT"),
        ])
        // A blank is none of its characters (RFC 9110 §8.8.3).
        #expect(StrongValidator(of: head) == nil)
        #expect(try StrongValidator(of: self.head([("etag", "\"ab\"")])) == .entityTag("\"ab\""))
        #expect(try StrongValidator(of: self.head([("etag", "\"\"")])) == .entityTag("\"\""))
    }

    @Test(arguments: ["W/\"a\"", "W/a", "", "a b", "a,b", "a\"", "\"", "\"a", "\"a\"b\"", "w/\"a\""])
    func `a weak or broken one is none, and no date replaces it`(tag: String) throws {
        let head = try head([("ETag", tag), ("Last-Modified", Self.date), ("Date", "Mon, 07 Nov 1994 08:49:37 GMT")])
        #expect(StrongValidator(of: head) == nil)
    }

    @Test(arguments: [[0x22, 0xE9, 0x22], [0xFF, 0x80], Array("\"\u{E9}\"".utf8)] as [[UInt8]])
    func `one with other bytes than ASCII keeps them`(tag: [UInt8]) throws {
        let fields = HeaderFields([HeaderField(name: "ETag", bytes: tag)])
        let head = try HTTPURLResponse(url: nil, statusCode: 200, headers: fields).head
        let validator = try #require(StrongValidator(of: head))
        #expect(validator.fieldValue.bytes == tag)
        #expect(!validator.isContradicted(by: head))
        let text = HeaderFields([HeaderField(name: "ETag", value: validator.fieldValue.text)])
        let other = try HTTPURLResponse(url: nil, statusCode: 200, headers: text).head
        #expect(validator.isContradicted(by: other) == (validator.fieldValue.isLatin1))
    }

    @Test func `one that lacks its quotation marks is one as long as it comes again`() throws {
        let tag = try #require(StrongValidator(of: head([("ETag", "range1024"), ("Last-Modified", Self.date)])))
        #expect(tag == .entityTag("range1024") && tag.fieldValue == "range1024")
        #expect(StrongValidator(entityTag: "range1024", lastModified: nil) == tag)
        #expect(try !tag.isContradicted(by: head([("ETag", "range1024")])))
        for other in [[], [("ETag", "\"range1024\"")], [("ETag", "range1025")], [("Last-Modified", Self.date)]] {
            #expect(try tag.isContradicted(by: head(other)))
        }
    }

    @Test func `a date is one if the response is a minute younger`() throws {
        for (now, isStrong) in [("08:50:37", true), ("08:50:36", false), ("08:49:37", false), ("08:00:00", false)] {
            let head = try head([("Last-Modified", Self.date), ("Date", "Sun, 06 Nov 1994 \(now) GMT")])
            #expect((StrongValidator(of: head) == .lastModified(Self.date)) == isStrong)
        }
        #expect(try StrongValidator(of: head([("Last-Modified", Self.date)])) == nil)
        #expect(try StrongValidator(of: head([("ETag", "\"a\""), ("ETag", "\"b\"")])) == nil)
        #expect(try StrongValidator(of: head([])) == nil)
    }

    @Test func `another one contradicts it, and none does not`() throws {
        let (tag, date) = (StrongValidator.entityTag("\"a\""), StrongValidator.lastModified(Self.date))
        #expect(try tag.isContradicted(by: head([("ETag", "\"b\"")])))
        #expect(try tag.isContradicted(by: head([("ETag", "W/\"a\"")])))
        #expect(try !tag.isContradicted(by: head([("ETag", "\"a\"")])))
        #expect(try !tag.isContradicted(by: head([("Last-Modified", Self.date)])))
        #expect(try date.isContradicted(by: head([("Last-Modified", "Mon, 07 Nov 1994 08:49:37 GMT")])))
        #expect(try !date.isContradicted(by: head([("Last-Modified", Self.date)])))
    }
}
