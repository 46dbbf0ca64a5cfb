// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

@testable import Tern

@Suite struct URLEncodingTests {
    private func query(_ parameters: Parameters?, _ url: String = "http://x/") throws -> String? {
        let request = try URLRequest(url: url, method: .get)
        return try URLEncoding.default.encode(request, with: parameters).url?.absoluteString
            .split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
    }

    @Test(.proves("9.4c")) func `nil parameters leave the request as it is`() throws {
        let request = try URLRequest(url: "http://x/p", method: .post)
        let encoded = try URLEncoding.default.encode(request, with: nil)
        #expect(encoded.httpBody == nil)
        #expect(encoded.headers.isEmpty)
        #expect(encoded.url?.absoluteString == "http://x/p")
    }

    @Test(.proves("9.4d")) func `empty parameters leave the URL as it is`() throws {
        #expect(try query([:]) == nil)
    }

    @Test(.proves("9.4d")) func `empty parameters make an empty form of a POST`() throws {
        let encoded = try URLEncoding.default.encode(try URLRequest(url: "http://x/", method: .post), with: [:])
        #expect(encoded.httpBody == Data())
        #expect(
            encoded.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test(.proves("9.6a")) func `keys are in alphabetical order`() throws {
        #expect(try query(["foo": "bar", "baz": "qux", "Z": 1]) == "Z=1&baz=qux&foo=bar")
    }

    @Test func `numbers, booleans and text are written as Alamofire does`() throws {
        #expect(try query(["a": 1, "b": -2.5, "c": "x", "d": true, "e": false]) == "a=1&b=-2.5&c=x&d=1&e=0")
    }

    @Test(.proves("9.6d")) func `a boolean is distinguished from a number, also as an NSNumber`() throws {
        let parameters: Parameters = [
            "a": NSNumber(value: true), "b": NSNumber(value: 1), "c": NSNumber(value: false), "d": Int8(1),
            "e": UInt8(7),
        ]
        #expect(try query(parameters) == "a=1&b=1&c=0&d=1&e=7")
        let json = try JSONSerialization.jsonObject(with: Data(#"{"yes":true,"one":1}"#.utf8)) as? Parameters
        #expect(try query(json) == "one=1&yes=1")
    }

    @Test(.proves("9.6b")) func `an array repeats its key with empty brackets`() throws {
        #expect(try query(["foo": ["a", 1, true] as [Any]]) == "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1")
    }

    @Test(.proves("9.6f")) func `an array can repeat its key as it is, at any depth`() throws {
        let encoding = URLEncoding(arrayEncoding: .noBrackets)
        #expect(encoding.arrayEncoding == .noBrackets && URLEncoding.default.arrayEncoding == .brackets)
        let parameters: Parameters = ["foo": ["a", ["b"]] as [Any], "bar": ["in": [1, 2]]]
        let url = try encoding.encode(try URLRequest(url: "http://x/", method: .get), with: parameters).url
        #expect(url?.query == "bar%5Bin%5D=1&bar%5Bin%5D=2&foo=a&foo=b")
    }

    @Test(.proves("9.6f")) func `a boolean can be written as a word, and a number is not a boolean`() throws {
        let encoding = URLEncoding(destination: .queryString, boolEncoding: .literal)
        #expect(encoding.boolEncoding == .literal && URLEncoding.default.boolEncoding == .numeric)
        let parameters: Parameters = [
            "a": true, "b": false, "c": NSNumber(value: true), "d": 1, "e": NSNumber(value: 0), "f": Int8(1),
            "g": [true],
        ]
        let url = try encoding.encode(try URLRequest(url: "http://x/", method: .post), with: parameters).url
        #expect(url?.query == "a=true&b=false&c=true&d=1&e=0&f=1&g%5B%5D=true")
    }

    @Test(.proves("9.6b")) func `a dictionary's keys go into brackets, however deep`() throws {
        let parameters: Parameters = ["foo": ["bar": ["baz": ["a", 1] as [Any]], "aaa": 2] as [String: Any]]
        #expect(
            try query(parameters)
                == "foo%5Baaa%5D=2&foo%5Bbar%5D%5Bbaz%5D%5B%5D=a&foo%5Bbar%5D%5Bbaz%5D%5B%5D=1")
    }

    @Test func `an empty collection leaves nothing behind`() throws {
        let encoded = URLEncoding.default.queryComponents(fromKey: "foo", value: [Int]())
        #expect(encoded.isEmpty)
    }

    @Test(.proves("9.7a")) func `only unreserved characters, slash and question mark stand for themselves`() {
        let ascii = String(decoding: (0...127).map { UInt8($0) }, as: UTF8.self)
        let kept = URLEncoding.default.escape(ascii).split(separator: "%").map { $0.dropFirst(2) }.joined()
        #expect(
            kept == "-./0123456789?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
    }

    @Test(
        .proves("9.7b"),
        arguments: [
            (" ", "%20"), ("+", "%2B"), ("&=", "%26%3D"), ("ü", "%C3%BC"), ("日本", "%E6%97%A5%E6%9C%AC"),
            ("😃", "%F0%9F%98%83"), ("%20", "%2520"), ("?/", "?/"), ("\r\n", "%0D%0A"), ("\u{0}", "%00"),
        ])
    func `everything else is percent-encoded byte by byte`(text: String, escaped: String) {
        #expect(URLEncoding.default.escape(text) == escaped)
    }

    @Test(.proves("9.6c")) func `keys are escaped like values`() throws {
        #expect(try query(["a b": "c d"]) == "a%20b=c%20d")
    }

    @Test(
        .proves("9.4b"),
        arguments: [
            ("http://x/?old=1", "http://x/?old=1&new=2"), ("http://x/#top", "http://x/?new=2#top"),
            ("http://x/?old=%2B#top?no", "http://x/?old=%2B&new=2#top?no"), ("http://x", "http://x?new=2"),
            ("http://x/?", "http://x/?&new=2"),
        ])
    func `parameters go behind a query that is there and before a fragment`(url: String, encoded: String) throws {
        let request = try URLEncoding.default.encode(try URLRequest(url: url, method: .get), with: ["new": 2])
        #expect(request.url?.absoluteString == encoded)
    }

    @Test(.proves("9.4a"), arguments: ["GET", "HEAD", "DELETE"])
    func `these methods take parameters in the query`(method: String) throws {
        let request = try URLRequest(url: "http://x/", method: HTTPMethod(rawValue: method))
        let encoded = try URLEncoding.default.encode(request, with: ["a": 1])
        #expect(encoded.url?.absoluteString == "http://x/?a=1")
        #expect(encoded.httpBody == nil)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(.proves("9.4a"), arguments: ["POST", "PUT", "PATCH", "OPTIONS", "PURGE", "options"])
    func `all others take them in the body`(method: String) throws {
        let request = try URLRequest(url: "http://x/", method: HTTPMethod(rawValue: method))
        let encoded = try URLEncoding.default.encode(request, with: ["a": "b c"])
        #expect(encoded.url?.absoluteString == "http://x/")
        #expect(encoded.httpBody == Data("a=b%20c".utf8))
    }

    @Test(.proves("9.5a")) func `a destination overrules the method`() throws {
        let post = try URLRequest(url: "http://x/", method: .post)
        #expect(try URLEncoding.queryString.encode(post, with: ["a": 1]).url?.absoluteString == "http://x/?a=1")
        let get = try URLRequest(url: "http://x/", method: .get)
        #expect(try URLEncoding.httpBody.encode(get, with: ["a": 1]).httpBody == Data("a=1".utf8))
    }

    @Test(.proves("9.11a")) func `the caller's Content-Type stays`() throws {
        let request = try URLRequest(url: "http://x/", method: .post, headers: ["content-type": "text/plain"])
        let encoded = try URLEncoding.default.encode(request, with: ["a": 1])
        #expect(encoded.headers.values(for: "Content-Type") == ["text/plain"])
    }

    @Test func `a request without a URL cannot have a query`() throws {
        var request = try URLRequest(url: "http://x/", method: .get)
        request.url = nil
        let error = #expect(throws: AFError.self) { try URLEncoding.default.encode(request, with: ["a": 1]) }
        guard case .parameterEncodingFailed(.missingURL) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        .proves("9.6e"),
        arguments: [
            (1.0 as any Sendable, "1"), (-2.0 as Float, "-2"), (1.5, "1.5"), (0.1, "0.1"), (1e15, "1000000000000000"),
            (1e21, "1e+21"), (7, "7"), ("1.0", "1.0"),
        ])
    func `a whole number has no point, whatever its type`(value: any Sendable, text: String) {
        let encoding = URLEncoding.default
        #expect(encoding.queryComponents(fromKey: "a", value: value).first?.1 == encoding.escape(text))
        #expect(encoding.queryComponents(fromKey: "a", value: [value]).first?.1 == encoding.escape(text))
    }
}

@Suite struct URLEncodingSpellingTests {
    @Test func `keys of arrays have brackets or none`() {
        #expect(URLEncoding.ArrayEncoding.brackets.encode(key: "a") == "a[]")
        #expect(URLEncoding.ArrayEncoding.noBrackets.encode(key: "a") == "a")
    }

    @Test func `booleans are numbers or words`() {
        #expect([true, false].map { URLEncoding.BoolEncoding.numeric.encode(value: $0) } == ["1", "0"])
        #expect([true, false].map { URLEncoding.BoolEncoding.literal.encode(value: $0) } == ["true", "false"])
    }
}
