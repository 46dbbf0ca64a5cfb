// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TernHTTP1
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernIO

/// Every error says once, in one line, what failed and with which host.
@Suite struct ErrorSentenceTests {
    private static let call = SystemCallError(.pread, code: EIO)
    private static let refused = SystemCallError(.connect, code: ECONNREFUSED)
    private static let protocolError = HTTPProtocolError.unexpectedBytes
    private static let origin = HTTPOrigin(scheme: .https, host: "www.example", port: 8443)
    private static let address = TransportAddress(literal: "192.0.2.7", port: 8443)

    private static func unreachable(_ literal: String) -> SessionError.Reason {
        let address = TransportAddress(literal: literal, port: 8443)
        return .connecting(
            .unreachable(ConnectError(attempts: address.map { [.init(address: $0, error: refused)] } ?? [])))
    }

    private static let requests: [SessionError.RequestFailure] =
        [
            .missingURL, .malformedURL("http://x"), .unsupportedScheme(""), .unsupportedScheme("ftp"), .invalidHost(""),
            .invalidHost("a b"), .invalidHost("[::1"), .invalidHost("\u{e9}"), .invalidPort("x"),
            .unencodable(protocolError), .unreadableContent(.unreadable(call, path: "/home/a/b.txt")),
            .unreadableContent(.noRegularFile(path: "/home/a/b.txt")),
        ].map { .invalid($0) }
        + [
            .tooShort(missing: 1), .tooLong(excess: 2), .failed(call), .alreadyUsed,
            .unreadable(call, path: "/home/a/b.txt"), .unencodable(protocolError),
        ].map { .body($0) }
        + [
            .missingCredential, .excessiveRefresh(maximumAttempts: 3, interval: .seconds(30)), .refreshFailed(call),
        ].map { .unauthenticated($0) } + [.streamClosed]

    private static let transfers: [SessionError.TransferFailure] =
        [
            .connectionLost(nil), .connectionLost(SystemCallError(.recv, code: ECONNRESET)), .tls(TLSError(.truncated)),
            .malformedResponse(protocolError), .bodyTooLarge(limit: 1), .outOfMemory,
            .memoryQuotaExceeded(limit: 1), .upgradeNotTaken, .upgradeRefused(status: 200),
        ]
        + [
            .malformed("invalid block type"), .truncated, .checksum, .tooLarge(limit: 1), .ratioExceeded(limit: 1),
            .tooManyCodings(limit: 5), .outOfMemory,
        ].map { .undecodable($0) }
        + [
            .tooMany(limit: 3), .loop(origin), .ambiguousLocation, .malformedLocation, .locationTooLong(limit: 3),
            .invalidLocation(.invalidHost("a b")),
            .insecure(HTTPOrigin(scheme: .http, host: "other.example", port: 80)),
        ].map { .redirect($0) }
        + [
            .lineTooLong(limit: 1), .undecodableLine(number: 2, call), .eventTooLarge(limit: 1),
            .notEvents(status: 200, contentType: "a/b"), .notEvents(status: 200, contentType: nil),
            .notEvents(status: 500, contentType: nil), .codedEvents("br"),
        ].map { .unreadable($0) }

    private static let downloads: [SessionError.DownloadFailure] =
        [
            .file(call, path: "/home/a/b"), .exists(path: "/home/a/b"), .notRegularFile(path: "/home/a/b"),
            .incomplete(received: 1, of: 2), .tooLong(limit: 1), .digestMismatch(.sha256), .noDigest,
        ]
        + [
            .missing, .malformed, .multipart, .unasked, .start(1, asked: 2), .total(1, before: 2),
            .length(1, ofPart: 2),
        ].map { .wrongPart($0) }
        + [
            .malformed, .unknownVersion(9), .invalidRequest, .suspiciousPath("/x"), .missingFile(path: "/home/a/b"),
            .foreignFile(path: "/home/a/b"), .wrongLength(1, expected: 2), .inUse(path: "/home/a/b"),
            .unreadable(path: "/home/a/b", code: 13),
        ].map { .resumeData($0) }

    private static let limits: [SessionError.TimeLimit] = [
        .queue, .connect, .sessionChallenge, .taskChallenge, .head, .idle, .total, .read, .write,
    ]

    private static let connections: [SessionError.ConnectingFailure] = [
        .queueFull(limit: 100), .unresolved(ResolveError(host: "www.example", code: EAI_NONAME)),
        .unresolved(.tooManyHanging("www.example")), .insecure(TLSError(.handshakeFailed)),
        .insecure(TLSError(.noPeerCertificate)), .insecure(TLSError(.outOfResources)),
        .egressRefused(
            EgressViolation(rule: .specialPurpose(.loopback), address: .init(literal: "::1", port: 80), host: "a.test")),
        .egressRefused(EgressViolation(rule: .port(8443), address: nil, host: "www.example")),
        .dialer(ConnectionDialerError(.failed, underlying: call)), .dialer(ConnectionDialerError(.used)),
        .dialer(ConnectionDialerError(.invalid(.notASocket))), .dialer(ConnectionDialerError(.invalid(.system(call)))),
        .invalidProxy(.variable("https_proxy", .scheme("quic"))),
        .socketOption(SocketOptionError(.interface, "eth7", SystemCallError(.setsockopt, code: ENODEV))),
    ]

    private static let reasons: [SessionError.Reason] =
        requests.map { .request($0) } + transfers.map { .transfer($0) } + downloads.map { .download($0) }
        + limits.map { .timedOut($0) } + connections.map { .connecting($0) }
        + [unreachable(""), unreachable("192.0.2.7"), .cancelled, .sessionInvalidated, .system(call)]

    /// Phrases of this number of words are said once.
    private func repeatedPhrase(of count: Int, in text: String) -> String? {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber && !"/.:".contains($0) }.map(String.init)
        var seen: Set<String> = []
        for start in words.indices.dropLast(count - 1) {
            let phrase = words[start..<(start + count)].joined(separator: " ")
            if !seen.insert(phrase).inserted { return phrase }
        }
        return nil
    }

    @Test func `every error is one sentence in one line, with the host, and says nothing twice`() {
        for reason in Self.reasons {
            for phase in SessionError.Phase.allCases {
                let error = SessionError(reason, phase: phase, origin: Self.origin, remoteAddress: Self.address)
                let text = error.localizedDescription
                #expect(text == "\(error)" && text == error.errorDescription)
                #expect(!text.contains { $0.isNewline } && text.contains("www.example"), "\(text)")
                #expect(repeatedPhrase(of: 3, in: text) == nil, "\(text)")
                #expect(text.components(of: "www.example") == 1 && text.components(of: "errno") <= 1, "\(text)")
                #expect(!text.hasSuffix(".") && !text.contains("..") && !text.contains(": :"), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            (
                unreachable("192.0.2.7"),
                "cannot connect to 192.0.2.7:8443: Connection refused (errno 111) (https://www.example:8443 at 192.0.2.7:8443)"
            ),
            (.cancelled, "cancelled while it connected (https://www.example:8443 at 192.0.2.7:8443)"),
            (
                .timedOut(.total),
                "the total time limit passed while it connected (https://www.example:8443 at 192.0.2.7:8443)"
            ),
            (
                .request(.invalid(.unreadableContent(.unreadable(SystemCallError(.open, code: ENOENT), path: "/a/b")))),
                "the request is invalid: its content cannot be read from /a/b: open: No such file or directory (errno 2) (https://www.example:8443 at 192.0.2.7:8443)"
            ),
        ] as [(SessionError.Reason, String)])
    func `the sentence names what failed and the peer`(_ reason: SessionError.Reason, _ text: String) {
        let error = SessionError(reason, phase: .connect, origin: Self.origin, remoteAddress: Self.address)
        #expect(error.localizedDescription == text)
    }

    @Test func `an address that was asked for is named once`() async throws {
        for host in ["127.0.0.1", "[::1]"] {
            let request = try URLRequest(string: "http://\(host):1/secret?secret")
            let error = await #expect(throws: SessionError.self) { try await Session().data(for: request) }
            #expect(error?.localizedDescription == "cannot connect to \(host):1: Connection refused (errno 111)")
            #expect(error?.host == host.filter { !"[]".contains($0) })
        }
    }
}

extension String {
    fileprivate func components(of word: String) -> Int { ranges(of: word).count }
}
