// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct DecodedLinesTests {
    private struct Reading: Decodable, Equatable {
        let name: String
        let value: Int
    }

    private static func read(_ body: String) async throws -> (values: [Reading], error: SessionError?) {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [(name: "Content-Type", value: "application/x-ndjson")], body: body)]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var values: [Reading] = []
        do throws(SessionError) {
            var iterator = bytes.decoded(as: Reading.self).makeAsyncIterator()
            while let value = try await iterator.next() { values.append(value) }
            return (values, nil)
        } catch {
            return (values, error)
        }
    }

    @Test(arguments: ["\n", "\r\n", "\n\n", "\n \t\r\n"], ["", "\n"])
    func `each line is a value, and a blank one none`(separator: String, end: String) async throws {
        let body = "{\"name\":\"a\",\"value\":1}\(separator){ \"value\": 2, \"name\": \"b\\n\" }\(end)"
        let (values, error) = try await Self.read(body)
        #expect(values == [Reading(name: "a", value: 1), Reading(name: "b\n", value: 2)])
        #expect(error == nil)
    }

    @Test(arguments: ["{", "{\"name\":\"a\"}", "[1]", "null", "{\"name\":\"a\",\"value\":1}{}", "\u{1}"])
    func `a line that is not such a value is reported by its number`(line: String) async throws {
        let good = "{\"name\":\"a\",\"value\":1}\n"
        let (values, error) = try await Self.read("\(good)\n\(good)\(line)\n\(good)")
        #expect(values.count == 2)
        guard case .transfer(.unreadable(.undecodableLine(number: 4, let cause))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is DecodingError)
        #expect(error?.description.contains("line 4") == true)
    }

    @Test func `an endless value is an error, and nothing comes behind it`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\n\r\n{\"name\":\""),
                .repeat(Array(repeating: 0x61, count: 65536), count: 1 << 20),
            ]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var values = bytes.decoded(as: Reading.self, maximumLineLength: 1000).makeAsyncIterator()
        let error = await #expect(throws: SessionError.self) { try await values.next() }
        guard case .transfer(.unreadable(.lineTooLong(limit: 1000))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await values.next() == nil)
    }
}
