// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Content that is sent in a coding, as the server receives it, and servers that do not know the coding.
@Suite(.serialized, .timeLimit(.minutes(2))) struct UnknownCodingsTests {
    private static let short = Data((0..<100).map { "line \($0)\n" }.joined().utf8)
    private static let long = Data((0..<50_000).map { "line \($0 &* $0)\n" }.joined().utf8)

    enum Kind: CaseIterable, Sendable {
        case data, longData, file, stream, announcedStream, once

        var bytes: Data { self == .data ? short : long }

        func content(_ file: TestFile) -> RequestBody {
            let pieces = stride(from: 0, to: bytes.count, by: 60_000).map { bytes.dropFirst($0).prefix(60_000) }
            return switch self {
            case .data, .longData: .data(bytes)
            case .file: .file(path: file.path)
            case .stream: .stream { ProbingSource(pieces) }
            case .announcedStream: .stream(length: bytes.count) { ProbingSource(pieces) }
            case .once: .once(ProbingSource(pieces), length: bytes.count)
            }
        }
    }

    private static var compressions: [ContentCompression] {
        var all = [ContentCompression.gzip]
        #if Brotli
            all.append(.brotli)
        #endif
        #if Zstd
            all.append(.zstd)
        #endif
        return all
    }

    private func decode(_ coding: ContentCoding, _ coded: [UInt8]) throws -> Data {
        var limits = ContentDecodingLimits()
        limits.maximumExpansionRatio = .max
        var path = try BodyPath(decoding: [coding], limits: limits)
        var decoded = Data()
        _ = try path.receive(coded.span) { bytes, _ in
            unsafe bytes.withUnsafeBufferPointer { unsafe decoded.append(contentsOf: $0) }
            return true
        }
        try path.finish()
        return decoded
    }

    @Test(arguments: Kind.allCases, compressions)
    func `content arrives in its coding, with its length where that is known`(
        kind: Kind, compression: ContentCompression
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let file = try TestFile(kind.bytes)
        var request = try URLRequest(origin, method: "POST")
        request.body = kind.content(file)
        request.headers["Content-Length"] = "\(kind.bytes.count)"
        request.compression = compression
        let delegate = RecordingDelegate()
        let session = Session.limited()
        let task = session.dataTask(with: request, delegate: delegate)
        #expect(task.countOfBytesExpectedToSend == -1)
        task.resume()
        #expect(await delegate.end().error == nil)
        let received = try #require(origin.requests.last)
        #expect(received.values(of: "Content-Encoding") == [compression.coding.rawValue])
        #expect(received.body.count < kind.bytes.count)
        #expect(try decode(compression.coding, received.body) == kind.bytes)
        #expect(received.values(of: "Content-Length") == (kind == .data ? ["\(received.body.count)"] : []))
        #expect(received.value(of: "Transfer-Encoding") == (kind == .data ? nil : "chunked"))
        #expect(task.originalRequest.headers["Content-Encoding"] == nil)
    }

    @Test func `content that is coded already, or that is none, stays as it is`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let empty = try TestFile(Data())
        let coded: [(RequestBody?, String?)] = [
            (.data(Self.short), "x"), (.data(Data()), nil), (nil, nil), (.file(path: empty.path), nil),
        ]
        for (body, coding) in coded {
            var request = try URLRequest(origin, method: "POST")
            request.body = body
            request.headers["Content-Encoding"] = coding
            request.compression = .gzip
            _ = try await Session.limited().data(for: request)
            let received = try #require(origin.requests.last)
            #expect(received.value(of: "Content-Encoding") == coding)
            #expect(received.body.count == (coding == nil ? 0 : Self.short.count))
        }
        var request = try URLRequest(origin, method: "POST")
        request.body = .file(path: "/nowhere/file")
        request.compression = .gzip
        await #expect(throws: SessionError.self) { try await Session.limited().data(for: request) }
    }

    @Test(arguments: [
        ("identity", true), ("", true), ("br;q=0.5, deflate", true), ("gzip;q=0", true), ("gzip; q=0.0, *", true),
        ("*;q=0", true), ("gzip", false), ("GZIP;q=0.1", false), ("x-gzip", false), ("*", false),
        ("br, *;q=0.1", false),
        (String?.none, false), (String(repeating: "a,", count: 100), false),
    ])
    func `a server that names other codings gets the content as it is, once`(
        accepted: String?, isResent: Bool
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 415, fields: accepted.map { [("Accept-Encoding", $0)] } ?? [])]
        }
        for kind in Kind.allCases {
            let file = try TestFile(kind.bytes)
            var request = try URLRequest(origin, method: "POST")
            request.body = kind.content(file)
            request.compression = .gzip
            let before = origin.requests.count
            let (_, response) = try await Session.limited().data(for: request)
            #expect(response.statusCode == 415)
            let isAgain = isResent && kind != .once
            #expect(origin.requests.count - before == (isAgain ? 2 : 1))
            let last = try #require(origin.requests.last)
            #expect(last.value(of: "Content-Encoding") == (isAgain ? nil : "gzip"))
            if isAgain { #expect(Data(last.body) == kind.bytes) }
        }
    }

    @Test func `a redirect and a retry encode again, and content that is dropped is not encoded`() async throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, request in
            switch request.target {
            case "/307": [.respond(status: 307, fields: [("Location", "/503")])]
            case "/503":
                count.withLock {
                    $0 += 1
                    return $0 == 1
                }
                    ? [.respond(status: 503, fields: [("Retry-After", "0")])]
                    : [.respond(status: 303, fields: [("Location", "/end")])]
            default: [.ok()]
            }
        }
        let session = Session.limited {
            $0.retryPolicy = .standard
            $0.retryPolicy.requests = .all
        }
        for kind in [Kind.data, .longData, .stream] {
            count.withLock { $0 = 0 }
            var request = try URLRequest(origin, "/307", method: "POST")
            request.body = kind.content(try TestFile(kind.bytes))
            request.compression = .gzip
            _ = try await session.data(for: request)
            let received = Array(origin.requests.suffix(4))
            #expect(received.map(\.target) == ["/307", "/503", "/503", "/end"])
            for request in received.dropLast() {
                #expect(request.value(of: "Content-Encoding") == "gzip")
                #expect(try decode(.gzip, request.body) == kind.bytes)
            }
            #expect(received.last?.value(of: "Content-Encoding") == nil && received.last?.body.isEmpty == true)
        }
    }

    /// Notes what it signs.
    private final class NotingSigner: RequestSigner {
        let seen = Lock<[(coding: String?, length: Int?)]>([])

        func sign(_ request: inout URLRequest) {
            let coding = request.headers["Content-Encoding"]
            let length = request.httpBody?.count
            seen.withLock { $0.append((coding, length)) }
            request.headers["X-Signed"] = "\(length ?? -1)"
        }
    }

    @Test func `a signer sees the content as it is sent`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let signer = NotingSigner()
        for data in [Self.short, Self.long] {
            var request = try URLRequest(origin, method: "POST", body: data)
            request.compression = .gzip
            request.signer = signer
            _ = try await Session.limited().data(for: request)
            let received = try #require(origin.requests.last)
            #expect(received.value(of: "X-Signed") == (data == Self.short ? "\(received.body.count)" : "-1"))
            #expect(try decode(.gzip, received.body) == data)
        }
        #expect(signer.seen.withLock { $0.map(\.coding) } == ["gzip", "gzip"])
    }
}
