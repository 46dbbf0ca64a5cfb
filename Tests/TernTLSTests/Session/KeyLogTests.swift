// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

@Suite(.timeLimit(.minutes(1))) struct KeyLogTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test(arguments: [
        (TLSVersion.v1_2, ["CLIENT_RANDOM"]), (.v1_3, ["CLIENT_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0"]),
    ])
    func `a log gets a line for each secret`(version: TLSVersion, labels: [String]) async throws {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let dialogue = try Dialogue(root: root) {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.keyLog = KeyLog { line.yield($0) }
        }
        _ = try dialogue.handshake()
        var missing = Set(labels)
        for await line in lines {
            #expect(!line.contains("\n") && line.split(separator: " ").count == 3)
            missing.remove(String(line.prefix { $0 != " " }))
            if missing.isEmpty { break }
        }
    }

    @Test func `a log that is a file that cannot be written does not hurt`() throws {
        let dialogue = try Dialogue(root: root) { $0.keyLog = KeyLog(path: "/nonexistent/keys") }
        _ = try dialogue.handshake()
        #expect(dialogue.trust?.isAccepted == true)
    }

    @Test func `a log is part of the configuration's identity`() {
        var (one, two) = (TLSConfiguration(), TLSConfiguration())
        #expect(one == two)
        one.keyLog = KeyLog { _ in }
        two.keyLog = KeyLog { _ in }
        #expect(one != two)
        two.keyLog = one.keyLog
        #expect(one == two)
    }
}
