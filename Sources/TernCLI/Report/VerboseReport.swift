// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles
import TernTLS

/// The output of `-v`, in curl's notation, without the values of secret fields and the passwords of URLs.
struct VerboseReport: Sendable {
    let configuration: SessionConfiguration

    func sending(_ request: URLRequest, on connection: ConnectionMetrics) -> [String] {
        var lines = named(request) + ["* connected to \(connection.remoteAddress)"]
        if !connection.proxies.isEmpty {
            lines.append("* through the proxy \(connection.proxies.map(\.description).joined(separator: ", then "))")
        }
        if let tls = connection.tls {
            lines.append(Self.negotiated(tls))
            lines += connection.serverTrust.map(Self.certificate) ?? []
            lines += connection.publicKeyPins.enumerated().map { "* certificate \($0): \($1)" }
        }
        return lines + head(of: request) + [">"]
    }

    /// Version, cipher suite, group and kind of signature, as curl says them; the latter two as far as there are any.
    private static func negotiated(_ tls: TLSInfo) -> String {
        let parts = [tls.version, tls.cipher, tls.group, tls.signatureAlgorithm.map(kind(ofSignature:))]
        return "* SSL connection using \(parts.compactMap(\.self).joined(separator: " / "))"
            + (tls.resumed ? ", resumed" : "")
    }

    /// OpenSSL's name, which curl shows.
    private static func kind(ofSignature algorithm: String) -> String {
        switch algorithm.prefix(while: { $0 != "_" }) {
        case "ecdsa": "id-ecPublicKey"
        case "rsa": algorithm.hasPrefix("rsa_pss") ? "RSASSA-PSS" : "rsaEncryption"
        case "ed25519": "ED25519"
        case "ed448": "ED448"
        default: algorithm
        }
    }

    /// The server's own certificate as curl shows it, and who says that it is good.
    private static func certificate(_ trust: ServerTrustResult) -> [String] {
        guard let leaf = trust.verifiedChain.first ?? trust.sentChain.first else { return [] }
        func date(_ time: Int64?) -> String { time.map(JSONReport.time) ?? "(unreadable)" }
        let names = ShortenedText.list(leaf.subjectAlternativeNames.map(\.description))
        var lines = [
            "* Server certificate:", "*  subject: \(ShortenedText.shortened(leaf.subject))",
            "*  start date: \(date(leaf.notBefore))", "*  expire date: \(date(leaf.notAfter))",
        ]
        if !names.isEmpty { lines.append("*  subjectAltName: \(names)") }
        lines.append("*  issuer: \(ShortenedText.shortened(leaf.issuer))")
        lines.append(
            trust.isChainValidated ? "*  SSL certificate verify ok." : "*  SSL certificate verification was skipped.")
        lines += trust.fetchedIssuers.map { "*  incomplete: \($0)" }
        return lines + ["*  accepted by the policy: \(ShortenedText.shortened(trust.policy))"]
    }

    /// What --resolve and --connect-to say about the request's host, as curl says it.
    private func named(_ request: URLRequest) -> [String] {
        guard let (endpoint, isElsewhere, isResolved) = configuration.overrides(for: request) else { return [] }
        return
            (isElsewhere
            ? ["* Connecting to hostname: \(endpoint.host)", "* Connecting to port: \(endpoint.port)"] : [])
            + (isResolved ? ["* Hostname \(endpoint.host) was found in DNS cache"] : [])
    }

    /// - Parameter named: the URL that was to be requested.
    func switching(from named: String?, to request: URLRequest) -> [String] {
        guard let url = request.url, url.scheme?.lowercased() == "https",
            named?.prefix(5).lowercased() == "http:"
        else { return [] }
        return ["* Switched from HTTP to HTTPS due to HSTS => \(request.sensitiveFields.shown(url.absoluteString))"]
    }

    /// The kept-alive connection of a request was dead: the request is sent again.
    func repeating(_ request: URLRequest, _ count: Int) -> [String] {
        let url = request.sensitiveFields.shown(request.url?.absoluteString ?? "")
        return [
            "* Connection died, retrying a fresh connect (retry count: \(count))",
            "* Issue another request to this URL: '\(url)'",
        ]
    }

    /// How the cache of `--cache` handled the request.
    func cached(_ status: CacheStatus?) -> [String] { status.map { ["* cache: \($0)"] } ?? [] }

    /// A proxy's answer to CONNECT.
    func receiving(fromProxy head: ResponseHead, for request: URLRequest) -> [String] {
        ["* the proxy has answered CONNECT", "< \(head.version) \(head.status) \(head.reason)"]
            + head.fields.map { "< " + request.sensitiveFields.description(of: $0) } + ["<"]
    }

    func receiving(_ response: HTTPURLResponse, for request: URLRequest) -> [String] {
        ["< \(response.head.version) \(response.statusCode) \(response.reasonPhrase)"]
            + response.headers.map { "< " + request.sensitiveFields.description(of: $0) } + ["<"]
    }

    func receiving(trailers: HeaderFields, for request: URLRequest) -> [String] {
        trailers.map { "< (trailer) " + request.sensitiveFields.description(of: $0) }
    }

    func receiving(discardedTrailers: HeaderFields, for request: URLRequest) -> [String] {
        discardedTrailers.map { "< (discarded trailer) " + request.sensitiveFields.description(of: $0) }
    }

    func line(about event: WebSocketEvent) -> String {
        switch event {
        case .sent(let isText, let size): "* sent \(isText ? "a text" : "binary data") of \(size) bytes"
        case .received(let isText, let size): "* received \(isText ? "a text" : "binary data") of \(size) bytes"
        case .closed(let close): "* the WebSocket is closed: \(close)"
        }
    }

    /// Byte for byte as the session sends it, except secrets.
    private func head(of request: URLRequest) -> [String] {
        let head = (try? request.encodedHead(configuration)) ?? []
        let lines = head.split(separator: UInt8(ascii: "\n")).map { line in
            ByteText.text(of: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
        return lines.enumerated().filter { !$0.element.isEmpty }.map { index, line in
            "> " + (index == 0 ? Self.line(line, request) : request.sensitiveFields.description(of: Self.field(line)))
        }
    }

    /// The request line, in whose target a query may have secrets.
    private static func line(_ line: String, _ request: URLRequest) -> String {
        line.split(separator: " ", omittingEmptySubsequences: false)
            .map { request.sensitiveFields.shown(String($0)) }.joined(separator: " ")
    }

    private static func field(_ line: String) -> HeaderField {
        let name = line.prefix { $0 != ":" }
        return HeaderField(
            name: String(name), value: String(line.dropFirst(name.count + 1).drop { $0 == " " }))
    }
}

/// Parts of heads as `-i`, `-D` and `-w` write them.
enum ResponseHeadText {
    /// A trailer section, without the empty line that ends it.
    static func bytes(_ trailers: HeaderFields) -> Data {
        var lines = Data()
        for field in trailers { lines += Array(field.name.utf8) + Array(": ".utf8) + field.bytes + Array("\r\n".utf8) }
        return lines
    }

    /// Each line as often as `count` says.
    static func repeating(_ heads: Data, _ count: Int) -> Data {
        var lines = Data()
        var rest = heads[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            for _ in 0..<count { lines += rest[...end] }
            rest = rest[rest.index(after: end)...]
        }
        return lines + rest
    }

    /// Three digits.
    static func status(_ status: Int) -> String {
        String(repeating: "0", count: max(0, 3 - String(status).count)) + String(status)
    }
}
