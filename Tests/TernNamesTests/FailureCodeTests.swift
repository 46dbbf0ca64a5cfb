// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTesting
import TernURLSession
import Testing

/// The code of each kind of failure. It is FoundationNetworking's where that has one that says what happened. Where it
/// says `unknown`, traps, hangs or reports a success, the code is the one that Apple's documentation describes. The rows
/// that differ from a code of FoundationNetworking stand in the guide "Coming from URLSession".
@Suite struct FailureCodeTests {
    struct Failure: CustomTestStringConvertible, Sendable {
        let name: String
        /// Nil where the task succeeds.
        let code: URLError.Code?
        /// What FoundationNetworking says.
        let there: There
        var steps: [ScriptedOrigin.Step] = []
        var url = ""

        var testDescription: String { name }
    }

    enum There: Equatable {
        case code(URLError.Code)
        case succeeds, traps, hangs

        static let unknown = There.code(.unknown)
    }

    private static func head(_ fields: String, _ body: String = "") -> [ScriptedOrigin.Step] {
        [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(body)"), .close]
    }

    private static func redirect(_ location: String) -> [ScriptedOrigin.Step] {
        [.respond(status: 302, fields: [("Location", location)])]
    }

    static let ofServers: [Failure] = [
        Failure(
            name: "an end without an answer", code: .networkConnectionLost, there: .code(.badServerResponse),
            steps: [.close]),
        Failure(name: "a reset", code: .networkConnectionLost, there: .code(.networkConnectionLost), steps: [.reset]),
        Failure(
            name: "an end within the head", code: .networkConnectionLost, there: .traps,
            steps: [.send("HTTP/1.1 200 OK\r\nContent-"), .close]),
        Failure(
            name: "an end before the body", code: .networkConnectionLost, there: .unknown,
            steps: head("Content-Length: 100")),
        Failure(
            name: "an end within the body", code: .networkConnectionLost, there: .unknown,
            steps: head("Content-Length: 100", "abc")),
        Failure(
            name: "an end within a chunk", code: .networkConnectionLost, there: .unknown,
            steps: head("Transfer-Encoding: chunked", "5\r\nabc")),
        Failure(
            name: "a chunk without a length", code: .cannotParseResponse, there: .unknown,
            steps: head("Transfer-Encoding: chunked", "zz\r\nabc\r\n")),
        Failure(
            name: "no HTTP", code: .cannotParseResponse, there: .code(.unsupportedURL),
            steps: [.send("rubbish rubbish\r\n\r\n"), .close]),
        Failure(
            name: "a status that is no number", code: .cannotParseResponse, there: .code(.unsupportedURL),
            steps: [.send("HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"), .close]),
        Failure(
            name: "a field without a colon", code: .cannotParseResponse, there: .unknown,
            steps: head("No colon here\r\nContent-Length: 0")),
        Failure(
            name: "a negative length", code: .cannotParseResponse, there: .unknown, steps: head("Content-Length: -5")),
        Failure(
            name: "content that is not compressed as it says", code: .cannotDecodeRawData, there: .unknown,
            steps: head("Content-Encoding: gzip\r\nContent-Length: 10", "0123456789")),
        Failure(
            name: "more redirects than are followed", code: .httpTooManyRedirects, there: .code(.httpTooManyRedirects),
            steps: redirect("/again")),
        Failure(
            name: "a redirect to ftp", code: .unsupportedURL, there: .code(.unsupportedURL),
            steps: redirect("ftp://127.0.0.1/x")),
        Failure(
            name: "a redirect to a file", code: .unsupportedURL, there: .succeeds, steps: redirect("file:///etc/hosts")),
        Failure(
            name: "a redirect to no URL", code: .redirectToNonExistentLocation, there: .succeeds,
            steps: redirect("http://[bad/")),
        Failure(
            name: "a redirect to a server that refuses", code: .cannotConnectToHost, there: .code(.cannotConnectToHost),
            steps: redirect("http://127.0.0.1:1/")),
        Failure(
            name: "a redirect without a location", code: nil, there: .succeeds, steps: [.respond(status: 302)]),
        Failure(name: "a request for credentials", code: nil, there: .hangs, steps: [.respond(status: 401)]),
        Failure(name: "silence", code: .timedOut, there: .code(.timedOut), steps: [.hold]),
        Failure(
            name: "silence within the body", code: .timedOut, there: .code(.timedOut),
            steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), .hold]),
    ]

    static let ofURLs: [Failure] = [
        Failure(name: "a relative URL", code: .unsupportedURL, there: .code(.unsupportedURL), url: "a/b"),
        Failure(name: "no host", code: .badURL, there: .code(.badURL), url: "http:///a"),
        Failure(name: "a scheme alone", code: .badURL, there: .code(.badURL), url: "http://"),
        Failure(name: "a port that is none", code: .badURL, there: .code(.badURL), url: "http://127.0.0.1:99999/"),
        Failure(name: "a host with a space", code: .badURL, there: .code(.badURL), url: "http://a%20b/"),
        Failure(name: "another scheme", code: .unsupportedURL, there: .code(.unsupportedURL), url: "foo://x/y"),
        Failure(name: "ftp", code: .unsupportedURL, there: .code(.cannotConnectToHost), url: "ftp://127.0.0.1:1/x"),
        Failure(name: "a file", code: .unsupportedURL, there: .code(.unsupportedURL), url: "file:///etc/hostname"),
        Failure(
            name: "a name without an address", code: .cannotFindHost, there: .code(.cannotFindHost),
            url: "http://nothing.invalid/"),
        Failure(
            name: "a server that refuses", code: .cannotConnectToHost, there: .code(.cannotConnectToHost),
            url: "http://127.0.0.1:1/"),
    ]

    private func code(
        _ configuration: URLSessionConfiguration = .ephemeral,
        _ make: (URLSession, @escaping @Sendable ((any Error)?) -> Void) -> URLSessionTask
    ) async -> URLError.Code? {
        let session = URLSession(configuration: configuration)
        let error = await withCheckedContinuation { continuation in
            make(session) { continuation.resume(returning: $0) }.resume()
        }
        session.finishTasksAndInvalidate()
        return error.map { ($0 as? URLError)?.code ?? .unknown }
    }

    private func code(of url: URL, _ configuration: URLSessionConfiguration = .ephemeral) async -> URLError.Code? {
        await code(configuration) { session, done in session.dataTask(with: url) { _, _, error in done(error) } }
    }

    @Test(arguments: ofServers) func `what a server does has its code`(failure: Failure) async throws {
        let origin = try ScriptedOrigin { _, _ in failure.steps }
        let configuration = URLSessionConfiguration.ephemeral
        if failure.code == .timedOut { configuration.timeoutIntervalForRequest = 0.3 }
        #expect(await code(of: try #require(URL(string: origin.url())), configuration) == failure.code)
    }

    @Test(arguments: ofURLs) func `a URL that leads nowhere has its code`(failure: Failure) async throws {
        #expect(await code(of: try #require(URL(string: failure.url))) == failure.code)
    }

    @Test func `a code of FoundationNetworking that says what happened is ours, but for those of the guide`() {
        let different = (Self.ofServers + Self.ofURLs).filter { failure in
            guard case .code(let code) = failure.there, code != .unknown else { return false }
            return code != failure.code
        }
        #expect(
            different.map(\.name) == [
                "an end without an answer", "no HTTP", "a status that is no number", "ftp",
            ])
    }

    /// What a server shows, and what is trusted.
    enum Server: CaseIterable {
        case expired, notYetValid, otherHost, selfSigned, otherAuthority, withoutTLS, oldTLS
        case wantsCertificate, refusesCertificate

        var code: URLError.Code {
            switch self {
            case .expired, .notYetValid, .otherHost, .selfSigned, .otherAuthority: .serverCertificateUntrusted
            case .withoutTLS, .oldTLS: .secureConnectionFailed
            case .wantsCertificate: .clientCertificateRequired
            case .refusesCertificate: .clientCertificateRejected
            }
        }
    }

    @Test(arguments: Server.allCases) func `a failure of TLS has its own code`(server: Server) async throws {
        let (authority, other) = (try CertificateAuthority(), try CertificateAuthority(commonName: "Other"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.value.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        var leaf = LeafRequest.localhost
        var options = ScriptedOrigin.TLSOptions()
        switch server {
        case .expired: leaf.validity = .expired
        case .notYetValid: leaf.validity = .future
        case .otherHost: leaf = LeafRequest(dnsNames: ["example.org"])
        case .oldTLS:
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
            options = .only(.tls12)
        case .wantsCertificate: options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
        case .refusesCertificate:
            options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
            let own = try other.issue(
                LeafRequest(extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
            configuration.value.tls.identity = try ClientIdentity(
                pem: Array(own.chainPEM.utf8), privateKeyPEM: Array(own.privateKeyPEM.utf8))
        case .selfSigned, .otherAuthority, .withoutTLS: break
        }
        let identity: Identity? =
            switch server {
            case .selfSigned: try CertificateAuthority.selfSigned(leaf)
            case .otherAuthority: try other.issue(leaf)
            case .withoutTLS: nil
            default: try authority.issue(leaf)
            }
        let greeting: [ScriptedOrigin.Step] = identity == nil ? [.send("220 mail.example ESMTP\r\n")] : []
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: options, onAccept: { _ in greeting }) { _, _ in
            [.ok()]
        }
        let url = try #require(URL(string: "https://localhost:\(origin.port)/"))
        #expect(await code(of: url, configuration) == server.code)
    }

    @Test func `a task that is cancelled, or whose session is, has the code of that`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let url = try #require(URL(string: origin.url()))
        let before = await code { session, done in
            let task = session.dataTask(with: url) { _, _, error in done(error) }
            task.cancel()
            return task
        }
        let during = await code { session, done in
            Task {
                _ = await origin.waitFor { $0.requests.count == 1 }
                session.invalidateAndCancel()
            }
            return session.dataTask(with: url) { _, _, error in done(error) }
        }
        #expect(before == .cancelled && during == .cancelled)
    }

    @Test func `what is to be uploaded, and cannot be, has its code`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = URLRequest(url: try #require(URL(string: origin.url())))
        let folder = FileManager.default.temporaryDirectory
        let withoutMethod = await code { [request] session, done in
            session.uploadTask(with: request, from: Data([1])) { _, _, error in done(error) }
        }
        #expect(withoutMethod == .dataLengthExceedsMaximum)
        request.httpMethod = "POST"
        for (file, expected) in [
            (folder.appending(path: UUID().uuidString), URLError.Code.fileDoesNotExist), (folder, .fileIsDirectory),
        ] {
            let code = await code { [request] session, done in
                session.uploadTask(with: request, fromFile: file) { _, _, error in done(error) }
            }
            #expect(code == expected)
        }
    }

    @Test func `what a session does not do has its code`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("longer than that")] }
        let url = try #require(URL(string: origin.url()))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.value.maximumCollectedBodySize = 3
        #expect(await code(of: url, configuration) == .dataLengthExceedsMaximum)
        var unstored = URLRequest(url: url)
        unstored.cachePolicy = .returnCacheDataDontLoad
        var without = URLRequest(url: url)
        without.url = nil
        let caching = URLSessionConfiguration.ephemeral
        caching.urlCache = URLCache(memoryCapacity: 100_000, diskCapacity: 0, diskPath: nil)
        for (request, expected) in [(unstored, URLError.Code.resourceUnavailable), (without, .unsupportedURL)] {
            let code = await code(caching) { session, done in
                session.dataTask(with: request) { _, _, error in done(error) }
            }
            #expect(code == expected)
        }
        let resumed = await code { session, done in
            session.downloadTask(withResumeData: Data([1, 2])) { _, _, error in done(error) }
        }
        #expect(resumed == .cannotOpenFile)
    }

    @Test func `a delegate that cancels a challenge cancels the task`() async throws {
        final class Refusing: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")])]
        }
        let session = URLSession(configuration: .ephemeral, delegate: Refusing(), delegateQueue: nil)
        let url = try #require(URL(string: origin.url()))
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .cancelled)
        session.invalidateAndCancel()
    }
}
