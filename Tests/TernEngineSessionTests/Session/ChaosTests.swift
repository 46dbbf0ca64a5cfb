// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Everything at once: servers that misbehave in every way, callers that cancel, sessions that end.
@Suite(.timeLimit(.minutes(5))) struct ChaosTests {
    @Test(arguments: [false, true]) func `every request ends once, and every good answer is its own`(isSecure: Bool)
        async throws
    {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            tls: isSecure ? authority.issue() : nil,
            onAccept: { connection in Misbehaviour.onAccept(SeededGenerator(seed: UInt64(connection))) }
        ) { connection, request in
            Misbehaviour.answer(request, SeededGenerator(seed: UInt64(connection * 1000 + request.index)))
        }
        let holder = SessionHolder(try session(authority))
        let requests = try (0..<16).map { try URLRequest(origin, "/\($0)", body: nil) }
        let good = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(worker))
                    var good = 0
                    for round in 0..<Rounds.of(30) {
                        if worker == 0, round % 15 == 14, let next = try? session(authority) {
                            holder.replace(by: next)
                        }
                        let path = "/\(worker).\(round)"
                        var request = requests[worker]
                        request.url = URL(string: origin.url(path))
                        if round % 7 == 3 {
                            request.httpMethod = "PUT"
                            request.httpBody = Data(repeating: 1, count: 200_000)
                        }
                        let whim = Int.random(in: 0..<12, using: &generator)
                        let delegate = RecordingDelegate { task, event in
                            if whim == 0, case .head = event { task.cancel() }
                            if whim == 1, case .body = event {
                                task.suspend()
                                task.resume()
                            }
                        }
                        guard let task = holder.session?.dataTask(with: request, delegate: delegate) else { continue }
                        task.resume()
                        if whim == 2 { task.cancel() }
                        if whim == 3 {
                            for _ in 0..<round { await Task.yield() }
                            task.cancel()
                        }
                        let record = await delegate.end()
                        #expect(record.completions == 1)
                        guard record.error == nil else { continue }
                        #expect(String(decoding: record.body, as: UTF8.self) == Misbehaviour.body(for: path))
                        good += 1
                    }
                    return good
                }
            }
            return await group.reduce(0, +)
        }
        #expect(good > 100)
        holder.drop()
        #expect(await origin.waitFor(.seconds(30)) { $0.openConnections == 0 })
        // A connection that the server has closed may still be closing here.
        let deadline = ContinuousClock.now + .seconds(10)
        while ClientSockets.count(to: origin.port) > 0, ContinuousClock.now < deadline { await Task.yield() }
        #expect(ClientSockets.count(to: origin.port) == 0)
    }

    private func session(_ authority: CertificateAuthority) throws -> Session {
        try .trusting(authority, connections: 6) {
            $0.timeouts = Timeouts(connect: .milliseconds(500), idle: .milliseconds(200), total: .seconds(2))
            $0.maximumIdleTime = .milliseconds(1)
        }
    }
}

/// What a server may do instead of answering.
private enum Misbehaviour {
    /// Long enough for several records and reads, and different for each path.
    static func body(for path: String) -> String { String(repeating: path + ";", count: 3000) }

    static func onAccept(_ generator: consuming SeededGenerator) -> [ScriptedOrigin.Step] {
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: [.reset]
        case 1: [.close]
        case 2: [.receive(1), .hold]
        case 3: [.pause(.milliseconds(2))]
        default: []
        }
    }

    static func answer(
        _ request: ReceivedRequest, _ generator: consuming SeededGenerator
    ) -> [ScriptedOrigin.Step] {
        let body = body(for: request.target)
        let half = String(body.prefix(body.utf8.count / 2))
        switch Int.random(in: 0..<30, using: &generator) {
        case 0: return [.close]
        case 1: return [.reset]
        case 2: return [.ok(body), .close]
        case 3: return [.ok(body), .pause(.microseconds(500)), .reset]
        case 4: return inOnePiece([.ok(body), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")])
        case 5: return inOnePiece([.ok(body), .send("0\r\n\r\n")])
        case 6: return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(half)"), .close]
        case 7: return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(half)"), .hold]
        case 8: return [.hold]
        case 9: return [.send("no HTTP at all\r\n\r\n"), .awaitClose]
        case 10: return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), .awaitClose]
        case 11: return [.respond(fields: [("Connection", "close")], body: body), .awaitClose]
        case 12: return [.sendBelowTLS(Array("garbage".utf8)), .awaitClose]
        case 13: return [.repeat(Array("HTTP/1.1 103 Early\r\n\r\n".utf8), count: 5), .ok(body)]
        case 14: return [.pause(.milliseconds(3)), .ok(body)]
        case 15..<20: return [.chunked(body.split(separator: ";").map { "\($0);" }, trailers: [("X", "y")])]
        default: return [.ok(body)]
        }
    }

    /// Bytes in two chunks may arrive after the next request, and then they cannot be distinguished.
    private static func inOnePiece(_ steps: [ScriptedOrigin.Step]) -> [ScriptedOrigin.Step] {
        let bytes = steps.flatMap { step in if case .send(let bytes) = step { bytes } else { [UInt8]() } }
        return [.send(bytes), .awaitClose]
    }
}
