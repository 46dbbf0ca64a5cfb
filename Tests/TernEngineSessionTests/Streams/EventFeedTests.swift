// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct EventFeedTests: EventDialogue {
    @Test(arguments: ["data: ", ": "]) func `an event that never ends is an error`(beginning: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Self.head + beginning), .repeat(Array(repeating: 0x61, count: 65536), count: 1 << 20)]
        }
        let (_, error) = await Self.data(try Self.events(of: origin, limit: 200_000))
        guard case .transfer(.unreadable(.eventTooLarge(limit: 200_000))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `leaving the iteration closes the connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: a\n\n"), .awaitClose] }
        for try await event in try Self.events(of: origin) {
            #expect(event.data == "a")
            break
        }
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.closes.count == 1 })
    }

    @Test func `cancelling ends a wait, too`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "retry: 3600000\ndata: a\n\n"), .close] }
        let request = try URLRequest(origin)
        let events = Session.limited().events(for: request)
        let reader = Task { () async -> SessionError? in
            do throws(SessionError) {
                var iterator = events.makeAsyncIterator()
                while try await iterator.next() != nil {}
                return nil
            } catch {
                return error
            }
        }
        #expect(await origin.waitFor { $0.requestCount == 1 && $0.openConnections == 0 })
        reader.cancel()
        #expect(await reader.value?.reason.isCancellation == true)
        #expect(origin.requests.count == 1)
    }
}

@Suite(.timeLimit(.minutes(5))) struct DecodedEventsTests: EventDialogue {
    private struct Piece: Decodable, Equatable, Sendable {
        let text: String
    }

    private static func values(_ origin: ScriptedOrigin) async throws -> (texts: [String], error: SessionError?) {
        var request = try URLRequest(origin)
        try request.setJSON(["question": "which bird?"])
        let session = Session.limited()
        let values = session.events(for: request).decoded(as: Piece.self, endMark: "[DONE]")
        var texts: [String] = []
        do throws(SessionError) {
            var iterator = values.makeAsyncIterator()
            while let piece = try await iterator.next() { texts.append(piece.text) }
            #expect(try await iterator.next() == nil)
            return (texts, nil)
        } catch {
            return (texts, error)
        }
    }

    @Test func `an answer in pieces ends with its mark, though the server keeps the stream open`() async throws {
        let origin = try ScriptedOrigin { _, request in
            guard request.method == "POST", String(decoding: request.body, as: UTF8.self).contains("bird") else {
                return [.respond(status: 400)]
            }
            return [
                .send(Self.head + "data: {\"text\":\"Sterna\"}\n\ndata: {\"text\":\ndata: \" hirundo\"}\n\n"),
                .send("data: [DONE]\n\ndata: {\"text\":\"never read\"}\n\n"), .awaitClose,
            ]
        }
        let (texts, error) = try await Self.values(origin)
        #expect(texts == ["Sterna", " hirundo"])
        #expect(error == nil)
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.requestCount == 1 })
    }

    @Test(arguments: ["", "{", "{\"text\":1}", "<html>", "[DONE] "])
    func `data that is no such value is an error behind the values before it`(data: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Self.head + "data: {\"text\":\"a\"}\n\ndata: \(data)\ndata:\n\n"), .awaitClose]
        }
        let (texts, error) = try await Self.values(origin)
        #expect(texts == ["a"])
        guard case .transfer(.unreadable(.undecodableEvent(let cause)))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is DecodingError)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
