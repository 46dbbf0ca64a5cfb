// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TernURLSession
import TestProofs
import Testing

@testable import TernURLSessionNames

@Suite struct CharacterSplitterTests {
    private static let scalars: [Unicode.Scalar] = [
        "a", "b", " ", "\r", "\n", "\t", "\u{0}", "\u{301}", "\u{308}", "\u{20D0}", "\u{FE0F}", "\u{200D}", "\u{200C}",
        "\u{1F468}", "\u{1F469}", "\u{1F33E}", "\u{2764}", "\u{1F3FD}", "\u{1F1E6}", "\u{1F1FA}", "\u{1100}",
        "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{915}", "\u{94D}", "\u{93F}", "\u{E01}", "\u{E33}",
        "\u{600}", "\u{FFFD}", "\u{E0067}", "\u{E007F}", "\u{2028}", "\u{AD}", "\u{10FFFF}",
    ]

    private static func characters(of text: String) throws -> [Character] {
        var splitter = CharacterSplitter(limit: .max)
        var characters = try text.unicodeScalars.compactMap { scalar in try splitter.next(scalar) }
        if let last = splitter.finish() { characters.append(last) }
        return characters
    }

    @Test func `the characters are those of a string`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text.append(Self.scalars.randomElement(using: &generator) ?? "a")
            }
            let expected = Array(String(text))
            guard try Self.characters(of: String(text)).elementsEqual(expected, by: Self.areSame) else {
                Issue.record("\(text.map { String($0.value, radix: 16) })")
                return
            }
        }
    }

    /// Characters are equal also if their scalars differ.
    private static func areSame(_ left: Character, _ right: Character) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    @Test func `bytes of any kind are the characters of the string that they decode to`() async throws {
        var generator = SystemRandomNumberGenerator()
        let invalid: [[UInt8]] = [
            [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xC0, 0x80],
        ]
        let alphabet = Self.scalars.map { Array(String($0).utf8) } + invalid
        let bodies = (0..<40).map { _ in
            (0..<60).flatMap { _ in alphabet.randomElement(using: &generator) ?? [] }
        }
        let origin = try ScriptedOrigin { _, request in
            let body = Int(request.target.dropFirst()).map { bodies[$0] } ?? []
            return [.respond(status: 200, body: body)]
        }
        for (number, body) in bodies.enumerated() {
            let read = try await Self.read(origin, "/\(number)")
            #expect(read.elementsEqual(Array(String(decoding: body, as: UTF8.self)), by: Self.areSame))
        }
    }

    @Test(.proves("14.2a")) func `a long character costs each of its scalars once`() throws {
        let (short, long) = (try Self.time(of: 20_000), try Self.time(of: 320_000))
        // Sixteen times as many: quadratic work would cost 256 times as much.
        #expect(long < short * 80)
    }

    private static func time(of count: Int) throws -> Duration {
        let text = "a" + String(repeating: "\u{301}", count: count)
        return try ContinuousClock().measure { _ = try characters(of: text) }
    }

    @Test(.proves("14.2b")) func `a character ends with an error beyond its limit`() async throws {
        let body = Array("ab".utf8) + Array(String(repeating: "\u{301}", count: 600_000).utf8)
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 200, body: body)] }
        let url = try #require(URL(string: origin.url()))
        let (bytes, _) = try await URLSession(configuration: .ephemeral).bytes(from: url)
        var (characters, read) = (bytes.characters.makeAsyncIterator(), "")
        let error = await #expect(throws: URLError.self) {
            while let character = try await characters.next() { read.append(character) }
        }
        guard case .transfer(.unreadable(.characterTooLong(limit: 1_048_576)))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(read == "a" && error?.code == .dataLengthExceedsMaximum)
        #expect(try await characters.next() == nil)
    }

    private static func read(_ origin: ScriptedOrigin, _ path: String) async throws -> [Character] {
        let url = try #require(URL(string: origin.url(path)))
        let (bytes, _) = try await URLSession(configuration: .ephemeral).bytes(from: url)
        return try await bytes.characters.reduce(into: []) { $0.append($1) }
    }
}
