// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TernHTTP1
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
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
            .malformed("no gzip: invalid block type"), .truncated, .checksum, .tooLarge(limit: 1),
            .ratioExceeded(limit: 1),
            .tooManyCodings(limit: 5), .dictionaryNeeded, .windowTooLarge(limit: 1), .outOfMemory,
        ].map { .undecodable($0) }
        + [
            .tooMany(limit: 3), .loop(origin), .ambiguousLocation, .malformedLocation, .locationTooLong(limit: 3),
            .invalidLocation(.invalidHost("a b")),
            .insecure(HTTPOrigin(scheme: .http, host: "other.example", port: 80)),
        ].map { .redirect($0) }
        + [
            .lineTooLong(limit: 1), .characterTooLong(limit: 1), .undecodableLine(number: 2, call),
            .eventTooLarge(limit: 1),
            .notEvents(status: 200, contentType: "a/b"), .notEvents(status: 200, contentType: nil),
            .notEvents(status: 500, contentType: nil), .codedEvents("br"), .undecodableEvent(call),
        ].map { .unreadable($0) }

    private static let downloads: [SessionError.DownloadFailure] =
        [
            .file(call, path: "/home/a/b"), .exists(path: "/home/a/b"), .notRegularFile(path: "/home/a/b"),
            .incomplete(received: 1, of: 2), .tooLong(limit: 1), .digestMismatch(.sha256, expected: [1], actual: [2]),
            .noDigest,
            .digestLength(.sha256, count: 1),
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

    private static let responses: [SessionError.ResponseFailure] =
        ["", "<p>\nno", "{\u{1b}"].flatMap { text -> [SessionError.ResponseFailure] in
            let fields = HeaderFields([HeaderField(name: "Content-Type", value: "text/html")])
            guard
                let head = try? ResponseHead(
                    withoutContent: 404, version: HTTPVersion(major: 1, minor: 1), fields: fields)
            else { return [] }
            let response = HTTPURLResponse(url: URL(string: "https://www.example:8443/birds"), head: head)
            let content = Data(text.utf8)
            return [.unsuccessful(response, content: content), .undecodable(response, content: content, call)]
        }

    private static let limits: [SessionError.TimeLimit] = [
        .queue, .connect, .sessionChallenge, .taskChallenge, .head, .idle, .total, .read, .write,
    ]

    private static let connections: [SessionError.ConnectingFailure] = [
        .queueFull(limit: 100), .unresolved(ResolveError(host: "www.example", code: EAI_NONAME)),
        .unresolved(.tooManyHanging("www.example")), .insecure(TLSError(.handshakeFailed)),
        .insecure(TLSError(.noPeerCertificate)), .insecure(TLSError(.outOfResources)),
        .insecure(TLSError(.signing(.refused("Refusal()")))), .insecure(TLSError(.signing(.invalidSignature))),
        .insecure(TLSError(.signing(.unsupportedAlgorithm))), .insecure(TLSError(.signing(.unavailable))),
        .insecure(TLSError(.signing(.abandoned))),
        .circuitOpen(OpenCircuit(origin, nextProbe: .now, delay: .seconds(4), isHalfOpen: false)),
        .circuitOpen(OpenCircuit(origin, nextProbe: .now, delay: .seconds(4), isHalfOpen: true)),
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
        + responses.map { .response($0) } + limits.map { .timedOut($0) } + connections.map { .connecting($0) }
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

    private static let files: [any Error] = [
        NetrcError.missing(path: "/a"), NetrcError.unreadable(path: "/a", call),
        NetrcError.exposed(path: "/a", mode: 0o644), CookieFileError.unreadable(path: "/a", call),
        CookieFileError.locked(path: "/a"), CookieFileError.unwritable(path: "/a", call),
        HSTSFileError.unreadable(path: "/a", call), HSTSFileError.locked(path: "/a"),
        HSTSFileError.unwritable(path: "/a", call), CredentialFileError.unreadable(path: "/a", call),
        CredentialFileError.exposed(path: "/a", mode: 0o644), CredentialFileError.foreign(path: "/a", owner: 7),
        CredentialFileError.locked(path: "/a"), CredentialFileError.unwritable(path: "/a", call),
        URLCacheError.cannotOpen(path: "/a", call), URLCacheError.notAFolder(path: "/a"),
        URLCacheError.notACache(path: "/a"), URLCacheError.unsupportedVersion(path: "/a", found: "9"),
        URLCacheError.exposed(path: "/a", mode: 0o777), URLCacheError.foreign(path: "/a", owner: 7),
    ]

    private static let forms: [MultipartFormError] = [
        .unreadable(path: "/a", call), .noRegularFile(path: "/a"), .fileChanged(path: "/a", length: 9),
        .invalidField(name: "a b"), .invalidBoundary("a b"), .invalidLength(-1), .tooLarge,
        .streamTooShort(missing: 2), .streamTooLong(excess: 2), .streamAlreadyUsed,
    ]

    private static let values: [any Error] =
        [
            InvalidOverride.missingPart("a"), InvalidOverride.port("x"), InvalidOverride.address("x"),
            InvalidIPNetwork.address("x"), InvalidIPNetwork.prefixLength("10.0.0.0/33"),
            InvalidIPNetwork.hostBits("10.0.0.1/8", network: "10.0.0.0/8"), InvalidUnixSocketName.empty,
            InvalidUnixSocketName.tooLong(bytes: 120, limit: 108), InvalidUnixSocketName.nulInPath,
        ]
        + ([
            .specialPurpose(.loopback), .notAllowed, .port(25), .scheme(.http), .unixSocket, .unnamedPeer,
        ] as [EgressViolation.Rule]).map { EgressViolation(rule: $0, address: nil, host: "a.test") }
        + ([
            .notOpen, .notASocket, .notAStream, .notConnected, .system(call),
        ] as [InvalidDescriptor]).map { ConnectionDialerError(.invalid($0)) }
        + ([
            (.localAddress, ERANGE), (.interface, ENODEV), (.mark, EPERM), (.localPorts, EADDRINUSE),
            (.localAddress, EADDRNOTAVAIL), (.keepAlive, EIO),
        ] as [(SocketOptionError.Option, Int32)]).map {
            SocketOptionError($0, "v", SystemCallError(.setsockopt, code: $1))
        }

    private static let policies: [PolicyFileError.Reason] = [
        .unreadable(path: "/a", call), .invalidJSON("flaw"), .missingField, .unknownField,
        .misspelledField(meant: "pins"), .wrongType(expected: "a string", found: "null"),
        .unknownWord("x", allowed: ["a", "b"]), .outOfRange("11", allowed: 0...10), .empty,
        .invalidPin(.unknownAlgorithm("x")),
        .invalidPin(.invalidBase64("x")), .invalidPin(.wrongLength(3)), .invalidPin(.notPublicKey),
        .invalidHost(.invalidHost("a b")), .invalidHost(.misplacedWildcard("a*")), .invalidTime("x"),
        .invalidMoment("x"),
        .invalidURL("x"), .unsupportedVersion("2"), .needs("pins"), .invalidSerialNumber("x"),
        .invalidNetwork(.address("x")), .excludes("pins"), .outdated(number: 1, last: 2),
        .invalidNumberFile(path: "/a"),
        .unwritable(path: "/a", call), .debugBuildsOnly,
    ]

    private static let json: [JSONError.Reason] = [
        .unexpectedEnd, .unexpectedByte(0x7d), .invalidNumber, .controlCharacter(10), .invalidEscape, .loneSurrogate,
        .invalidUTF8, .duplicateName("a"), .tooDeep(limit: 32), .trailingBytes,
    ]

    /// Each message says what is, not what should be.
    @Test func `what no task fails with says what is wrong, too`() {
        let texts =
            (Self.files + Self.forms + Self.values).map { "\($0)" } + Self.policies.map { "\($0)" }
            + Self.json.map { JSONError(reason: $0, offset: 0).description }
            + Self.requests.map { "\($0)" } + Self.transfers.map { "\($0)" } + Self.downloads.map { "\($0)" }
        let golden = """
            there is no file /a
            cannot read /a: pread: Input/output error (errno 5)
            others may read the passwords in /a, whose mode is 644: make it 600
            cannot read cookies from /a: pread: Input/output error (errno 5)
            another process keeps /a.lock locked
            cannot write cookies to /a: pread: Input/output error (errno 5)
            cannot read /a: pread: Input/output error (errno 5)
            another process keeps /a.lock locked
            cannot write /a: pread: Input/output error (errno 5)
            cannot read /a: pread: Input/output error (errno 5)
            others may use the passwords in /a, whose mode is 644: make it 600
            /a belongs to another user, 7
            another process keeps /a.lock locked
            cannot write /a: pread: Input/output error (errno 5)
            cannot use /a for a cache: pread: Input/output error (errno 5)
            /a is not a folder
            /a is not empty, and no cache has created it: name an empty or a new folder
            /a was created by another version of the cache: 9
            others may write to /a (mode 777): a cache must belong to one user
            /a belongs to the user 7
            /a cannot be read: pread: Input/output error (errno 5)
            /a is no regular file
            /a is no longer 9 bytes long
            the field "a b" of a part cannot be written
            "a b" cannot be a boundary
            a part cannot be -1 bytes long
            the form is longer than can be counted
            a part's stream ended 2 bytes before its announced length
            a part's stream is at least 2 bytes longer than announced
            a part's stream can be read only once, and has been read
            a: a part is missing
            x: no port from 1 to 65535
            x: no IP address
            x: not an IP address, such as 192.0.2.1 or 2001:db8::/32
            10.0.0.0/33: the prefix is no number from 0 to 32 (IPv4) or 128 (IPv6)
            10.0.0.1/8 has bits behind its prefix: give 10.0.0.0/8, or the address alone
            the name is empty
            the name has 120 bytes, the maximum is 108
            the path contains a NUL
            the egress policy refuses a.test: a loopback address, which is this machine
            the egress policy refuses a.test: an address of no allowed network
            the egress policy refuses a.test: the port 25 is not allowed
            the egress policy refuses a.test: the scheme http is not allowed
            the egress policy refuses a.test: Unix domain sockets are not allowed
            the egress policy refuses a.test: peers without an IP address are not allowed
            the dialer returned a descriptor that is not open
            the dialer returned a descriptor of no socket
            the dialer returned a socket that is no stream
            the dialer returned a socket that is not connected
            the dialer returned a socket that cannot be used: pread: Input/output error (errno 5)
            the socket option localAddress cannot be v: the kernel refuses it (errno 34)
            the socket option interface cannot be v: there is no such network interface (errno 19)
            the socket option mark cannot be v: the process has no right to set it (errno 1)
            the socket option localPorts cannot be v: all of the ports are in use (errno 98)
            the socket option localAddress cannot be v: this machine does not have the address (errno 99)
            the socket option keepAlive cannot be v: the kernel refuses it (errno 5)
            cannot read /a: pread: Input/output error (errno 5)
            not valid JSON: flaw
            the field is missing
            there is no such field
            there is no such field; did you mean "pins"?
            a string is expected here, not null
            "x" is none of "a", "b"
            11 is not a whole number from 0 to 10
            the list is empty
            the pin "x" does not begin with "sha256/"
            "x" is not padded base64
            the pin has 3 bytes where SHA-256 has 32
            not a public key in PEM or DER
            "a b" is neither a DNS name nor an IP address
            "a*" has an asterisk elsewhere than in "*." or "**." at its beginning
            "x" is neither a date such as 2030-12-31 nor an RFC 3339 time
            "x" is not an RFC 3339 time such as 2030-12-31T00:00:00Z
            "x" is not an http or https URL
            version 2 is not supported; this reader knows 1 and 2
            this has no effect without "pins"
            "x" is no serial number in at most 40 hexadecimal digits
            x: not an IP address, such as 192.0.2.1 or 2001:db8::/32
            this cannot stand beside "pins"
            the policy has the number 1, and 2 was read before
            /a has no number in decimal digits
            cannot write /a: pread: Input/output error (errno 5)
            this program is not built for debugging, so nothing overrides its policies
            the text ends too early
            unexpected "}"
            not a number as JSON writes them
            byte 0xa inside a string is not escaped
            unknown escape
            half of a surrogate pair
            not UTF-8
            "a" occurs twice
            nested deeper than 32 levels
            there is more after the value
            the request is invalid: it has no URL
            the request is invalid: "http://x" is not a URL
            the request is invalid: the URL has no scheme
            the request is invalid: the scheme "ftp" is not http or https
            the request is invalid: the URL has no host
            the request is invalid: "a b" is not a host name: it has a space in it
            the request is invalid: "[::1" is not a host name: a bracket is not closed
            the request is invalid: "é" is not a host name: names beyond ASCII are spelled as xn--…
            the request is invalid: "x" is not a port from 1 to 65535
            the request is invalid: the server sent bytes that answer no request (RFC 9112 §9.2)
            the request is invalid: its content cannot be read from /home/a/b.txt: pread: Input/output error (errno 5)
            the request is invalid: its content, /home/a/b.txt, is no regular file
            the request body could not be sent: it ended 1 bytes before its announced length
            the request body could not be sent: it is 2 bytes longer than announced
            the request body could not be sent: its source failed: pread: Input/output error (errno 5)
            the request body could not be sent: its source can be read only once, and has been read
            the request body could not be sent: its file /home/a/b.txt cannot be read: pread: Input/output error (errno 5)
            the request body could not be sent: the server sent bytes that answer no request (RFC 9112 §9.2)
            the request could not be authenticated: there is no credential
            the request could not be authenticated: the credential was refreshed 3 times within 30.0 seconds, which is the limit
            the request could not be authenticated: refreshing the credential failed: pread: Input/output error (errno 5)
            the stream is closed
            the server closed the connection before the response was complete
            the connection was lost: recv: Connection reset by peer (errno 104)
            the peer ended the connection without close_notify
            the response breaks HTTP/1.1: the server sent bytes that answer no request (RFC 9112 §9.2)
            the body exceeds the 1 bytes of maximumCollectedBodySize
            the system has no memory for the body
            with this body, all together exceed the 1 bytes of memoryQuota
            the server switched to the protocol that was asked for, and nothing took the connection over
            the server does not switch to the protocol that was asked for: its answer is 200
            the body is no gzip: invalid block type
            the body ends before its Content-Encoding does
            the decoded body does not match its checksum or length (RFC 1950 §2.2, RFC 1952 §2.3.1, RFC 8878 §3.1.1)
            the decoded body exceeds 1 bytes
            decoding makes more than 1 bytes of each byte of the body
            the body is coded more than 5 times
            the body can be decoded only with a dictionary (RFC 1950 §2.2, RFC 8878 §5)
            the body can be decoded only with a window of more than 1 bytes (RFC 9659 §3)
            there is no memory to decode the body
            more than 3 redirects
            the redirects go round in circles: https://www.example:8443 was asked the same before
            the redirect has several Location fields that differ
            the redirect's Location is not a URL
            the redirect's Location is longer than 3 bytes
            the redirect's Location cannot be requested: "a b" is not a host name: it has a space in it
            the redirect leads from https to http://other.example
            the content cannot be read: a line is longer than 1 bytes
            the content cannot be read: a character is longer than 1 bytes
            the content cannot be read: line 2 cannot be decoded
            the content cannot be read: an event is larger than 1 bytes
            the content cannot be read: the response is a/b, not text/event-stream
            the content cannot be read: the response is without a type, not text/event-stream
            the content cannot be read: the server answered 500, not 200
            the content cannot be read: the events are coded with br, which was not asked for
            the content cannot be read: the data of an event cannot be decoded
            the file /home/a/b: pread: Input/output error (errno 5)
            there is a file /home/a/b already
            /home/a/b is no regular file
            the server sent 1 of 2 bytes
            the body exceeds 1 bytes
            the sha-256 digest of the content is 02, and not 01
            the response has no Repr-Digest that is understood
            the digest to compare with has 1 bytes, and one of sha-256 has 32
            the server sent another part than was asked for: it does not say which (Content-Range)
            the server sent another part than was asked for: its Content-Range cannot be read
            the server sent another part than was asked for: it brings several
            the server sent another part than was asked for: it brings a part, and the whole was requested
            the server sent another part than was asked for: it begins at byte 1, and was to begin at 2
            the server sent another part than was asked for: the whole has 1 bytes now, and had 2
            the server sent another part than was asked for: its body has 1 bytes, and the part 2
            the resume data cannot be used: it is not what a download of Tern left behind
            the resume data cannot be used: its format's version 9 is not known
            the resume data cannot be used: it holds no request that could be sent
            the resume data cannot be used: the path of its partial file is none that a download would choose
            the resume data cannot be used: the partial file /home/a/b is gone
            the resume data cannot be used: /home/a/b is not the partial file of a download
            the resume data cannot be used: the partial file has 1 bytes, and had 2
            the resume data cannot be used: another download writes the partial file /home/a/b
            the resume data cannot be used: the partial file /home/a/b cannot be opened: open: Permission denied (errno 13)
            """.split(separator: "\n").map(String.init)
        #expect(texts == golden)
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
