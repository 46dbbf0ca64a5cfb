// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Bodies that are received in place, with every API.
@Suite(.timeLimit(.minutes(5))) struct LargeBodyTests {
    private static let body = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private func origin(_ authority: CertificateAuthority?, behind: String = "", declared: Int = body.count) throws
        -> ScriptedOrigin
    {
        try ScriptedOrigin(tls: try authority?.issue()) { _, request in
            if request.target == "/small" { return [.ok("small")] }
            return [
                .send(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: \(declared)\r\n\r\n".utf8) + Self.body
                        + Array(behind.utf8))
            ]
        }
    }

    private func session(_ authority: CertificateAuthority?) throws -> Session {
        try authority.map { try Session.trusting($0) } ?? Session.limited()
    }

    @Test(arguments: [false, true]) func `a body had whole is what was sent`(isSecure: Bool) async throws {
        let authority = isSecure ? try CertificateAuthority() : nil
        let origin = try origin(authority)
        let session = try session(authority)
        for _ in 0..<3 {
            let (data, response) = try await session.data(for: URLRequest(origin))
            #expect(response.statusCode == 200)
            #expect(data.elementsEqual(Self.body))
            #expect(try await session.text(URLRequest(origin, "/small")) == "small")
        }
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [false, true]) func `a body read as it comes is what was sent`(isSecure: Bool) async throws {
        let authority = isSecure ? try CertificateAuthority() : nil
        let origin = try origin(authority)
        let session = try session(authority)
        for _ in 0..<3 {
            let (bytes, _) = try await session.bytes(for: URLRequest(origin))
            var body = Data()
            for try await piece in bytes {
                #expect(!piece.isEmpty)
                body += piece
            }
            #expect(body.elementsEqual(Self.body))
            #expect(try await session.text(URLRequest(origin, "/small")) == "small")
        }
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [false, true]) func `the kept part of a body does not change as the rest arrives`(isSecure: Bool)
        async throws
    {
        let authority = isSecure ? try CertificateAuthority() : nil
        let origin = try origin(authority)
        let session = try session(authority)
        let (bytes, _) = try await session.bytes(for: URLRequest(origin))
        var pieces: [Data] = []
        for try await var piece in bytes {
            pieces.append(piece)
            // A copy of the caller's own.
            piece.resetBytes(in: piece.startIndex..<piece.endIndex)
            piece.append(contentsOf: [1, 2, 3])
        }
        #expect(pieces.joined().elementsEqual(Self.body))
    }

    @Test(arguments: [false, true]) func `bytes after a body are never part of it, and end its connection`(
        isSecure: Bool
    ) async throws {
        let authority = isSecure ? try CertificateAuthority() : nil
        let origin = try origin(authority, behind: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        let session = try session(authority)
        let (data, _) = try await session.data(for: URLRequest(origin))
        #expect(data.elementsEqual(Self.body))
        #expect(try await session.text(URLRequest(origin, "/small")) == "small")
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: [false, true]) func `a body beyond the limit is refused, however it comes`(isAnnounced: Bool)
        async throws
    {
        var configuration = SessionConfiguration.default
        configuration.maximumCollectedBodySize = 1 << 20
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(
                    Array("HTTP/1.1 200 OK\r\n\(isAnnounced ? "Content-Length: \(Self.body.count)\r\n" : "")\r\n".utf8)
                        + Self.body), .close,
            ]
        }
        let session = Session(configuration: configuration)
        let error = await #expect(throws: SessionError.self) { try await session.data(for: URLRequest(origin)) }
        guard case .transfer(.bodyTooLarge(limit: 1 << 20)) = error?.reason else {
            Issue.record("failed with \(String(describing: error))")
            return
        }
    }
}

extension Processes {
    /// What a body comes to when the process may have no more memory.
    @Suite struct MemoryLimitTests {
        @Test(.disabled(if: Sanitizer.isWatching, "a sanitizer needs terabytes of addresses"))
        func `a body without memory for it ends with outOfMemory, and the session continues to work`() async {
            await #expect(processExitsWith: .success) {
                let origin = try ScriptedOrigin { _, request in
                    if request.target == "/small" { return [.ok("small")] }
                    return [
                        .send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 30)\r\n\r\n"),
                        .repeat(Array(repeating: 1, count: 65536), count: 16384),
                    ]
                }
                var configuration = SessionConfiguration()
                configuration.maximumCollectedBodySize = 2 << 30
                let session = Session(configuration: configuration)
                #expect(try await session.text(URLRequest(origin, "/small")) == "small")
                let pages = Int(try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0 != " " })
                let most = rlim_t((pages ?? 0) * Int(getpagesize()) + 256 << 20)
                var limit = rlimit(rlim_cur: most, rlim_max: most)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
                for _ in 0..<2 {
                    let error = await session.failure(of: try URLRequest(origin))
                    guard case .transfer(.outOfMemory)? = error?.reason else {
                        Issue.record("\(String(describing: error))")
                        return
                    }
                    #expect(error?.phase == .body)
                    #expect(try await session.text(URLRequest(origin, "/small")) == "small")
                }
            }
        }
    }
}
