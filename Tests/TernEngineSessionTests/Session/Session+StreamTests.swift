// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionStreamTests: StreamDialogue {
    /// A stream does not keep its session.
    private let session = Session.limited()

    @Test(arguments: [
        ("", 80), ("a b", 80), ("a/b", 80), ("a@b", 80), ("a?", 80), ("a:80", 80), ("localhost", 0), ("localhost", -1),
        ("localhost", 65_536), ("localhost", .max), ("[::1", 80), ("a\r\nb", 80), ("é", 80),
    ])
    func `a host or port that is none fails when it is asked for`(host: String, port: Int) async throws {
        let task = session.streamTask(withHostName: host, port: port)
        task.resume()
        #expect(await Self.failure { try await Self.read(task) }?.reason.kind == .invalidRequest)
    }

    @Test(arguments: ["::1", "[::1]"]) func `an IPv6 address may be in brackets`(host: String) async throws {
        var configuration = ScriptedOrigin.Configuration()
        configuration.address = .ipv6
        let origin = try ScriptedOrigin(configuration, onAccept: { _ in [.send("hello")] }) { _, _ in [] }
        let task = session.streamTask(withHostName: host, port: Int(origin.port))
        task.resume()
        #expect(try await Self.read(task, 5, 5) == ("hello", false))
    }
}
