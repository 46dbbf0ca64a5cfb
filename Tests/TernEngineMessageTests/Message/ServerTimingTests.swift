// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ServerTimingTests {
    private func timings(_ values: [String]) throws -> [ServerTiming] {
        let fields = values.map { HeaderField(name: "Server-Timing", value: $0) }
        return try HTTPURLResponse(url: nil, statusCode: 200, headers: HeaderFields(fields)).serverTimings
    }

    @Test func `name, duration and description are read, of all fields in order`() throws {
        #expect(
            try timings([#"db;dur=12.5;desc="a \"b\", c", cache ; DESC = hit ; dur=0"#, "miss,,missed;x=1;dur=1e2"])
                == [
                    ServerTiming(name: "db", duration: .microseconds(12_500), description: #"a "b", c"#),
                    ServerTiming(name: "cache", duration: .zero, description: "hit"), ServerTiming(name: "miss"),
                    ServerTiming(name: "missed", duration: .milliseconds(100)),
                ])
    }

    @Test(arguments: [
        "dur", "dur=", "dur=1ms", "dur=-1", "dur=inf", "dur=0x10", "dur=1e13", #"dur="""#, "dur=x;dur=1",
    ])
    func `what is no number of milliseconds is no duration`(parameter: String) throws {
        #expect(try timings(["db;\(parameter)"]).allSatisfy { $0 == ServerTiming(name: "db") })
    }

    @Test(arguments: [
        "a b", "a;", "a;=1", "a;b", "a;b=", "a;b=c d", #"a;b="c" d"#, "a=1", #""a""#, "a;b=@", "(a)", #"a;b="c\"#,
        ";dur=1",
    ])
    func `an element that does not follow the grammar is skipped, and spoils no other one`(element: String) throws {
        #expect(try timings(["first, \(element)", "last"]).map(\.name) == ["first", "last"])
    }

    @Test func `of more than 64 metrics the first 64 count`() throws {
        let names = (1...100).map { "m\($0)" }
        #expect(try timings([names.joined(separator: ",")]).map(\.name) == Array(names.prefix(64)))
        #expect(try timings(names).count == 64)
        #expect(try timings(["a", "b;desc=" + String(repeating: "x", count: 10_000)]).map(\.name) == ["a"])
    }

    @Test func `what is written by the grammar is read back, and other bytes read as metrics of the grammar`() throws {
        var generator = SeededGenerator(seed: 11)
        let token = Array("ab1!#$%&'*+-.^_`|~".utf8)
        func word(_ alphabet: [UInt8], _ lengths: ClosedRange<Int>) -> String {
            let count = Int.random(in: lengths, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0x61 }
            return String(decoding: bytes, as: UTF8.self)
        }
        for _ in 0..<2_000 {
            let (name, text) = (word(token, 1...5), word(Array(#"a"\,; =é"#.utf8.filter { $0 < 0x80 }), 0...6))
            let time = Int64.random(in: 0...1_000_000, using: &generator)
            let quoted = text.reduce(into: "") { $0 += (#""\"#.contains($1) ? "\\" : "") + String($1) }
            let blank = Bool.random(using: &generator) ? " " : ""
            let field = "\(name)\(blank);\(blank)dur=\(time)\(blank);desc=\(blank)\"\(quoted)\"\(blank),\(blank)z"
            #expect(
                try timings([field]) == [
                    ServerTiming(name: name, duration: .milliseconds(time), description: text), ServerTiming(name: "z"),
                ], "\(field)")
            let noise = word(Array(#"ab;;==,,"\ @durdesc1."#.utf8), 0...40)
            for timing in try timings([noise]) {
                #expect(!timing.name.isEmpty && timing.name.utf8.allSatisfy(\.isToken), "\(noise)")
                #expect(timing.duration.map { $0 >= .zero } ?? true, "\(noise)")
            }
        }
    }
}
