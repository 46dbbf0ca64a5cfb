// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// The object that `--report-json` prints for each URL. Its keys are stable; every key is always present, null if it has no
/// value. URLs have no names and passwords, also those in fields and in messages: reports are kept.
struct ExchangeReport: Encodable {
    private let url: String
    private let transcript: Transcript.Contents

    init(url: String, transcript: Transcript.Contents) {
        self.url = url
        self.transcript = transcript
    }

    private enum Key: String, CodingKey {
        case url, status, reason, version, headers, trailers, informational, redirects, connection, timeline, error
        case body = "body_base64"
        case discardedTrailers = "discarded_trailers"
    }

    func encode(to encoder: any Encoder) throws {
        let response = transcript.response
        let redirects = response?.history.filter { (300..<400).contains($0.statusCode) } ?? []
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(SensitiveFields.withoutUserinfo(url), forKey: .url)
        try container.encode(response?.statusCode, forKey: .status)
        try container.encode(response?.reasonPhrase, forKey: .reason)
        try container.encode(response.map { "\($0.head.version)" }, forKey: .version)
        try container.encode(Self.pairs(response?.headers), forKey: .headers)
        try container.encode(transcript.body.bytes.base64EncodedString(), forKey: .body)
        try container.encode(Self.pairs(transcript.trailers), forKey: .trailers)
        try container.encode(Self.pairs(transcript.discardedTrailers), forKey: .discardedTrailers)
        try container.encode(transcript.informational.map(Informational.init), forKey: .informational)
        try container.encode(redirects.map(Redirect.init), forKey: .redirects)
        try container.encode(transcript.lastHop.flatMap(ConnectionReport.init), forKey: .connection)
        try container.encode(TimelineReport(transcript), forKey: .timeline)
        try container.encode(transcript.error.map(ErrorReport.init), forKey: .error)
    }

    private static func pairs(_ fields: HeaderFields?) -> [[String]] {
        (fields ?? HeaderFields()).map { [$0.name, SensitiveFields.withoutUserinfo($0.value)] }
    }

    /// A redirect that was followed.
    private struct Redirect: Encodable {
        let url: String?
        let status: Int
        let headers: [[String]]

        init(_ response: HTTPURLResponse) {
            url = (response.url?.absoluteString).map(SensitiveFields.withoutUserinfo)
            status = response.statusCode
            headers = pairs(response.headers)
        }
    }

    /// A 1xx response.
    private struct Informational: Encodable {
        let status: Int
        let headers: [[String]]

        init(_ response: HTTPURLResponse) {
            status = response.statusCode
            headers = pairs(response.headers)
        }
    }
}

private struct ConnectionReport: Encodable {
    private let hop: HopMetrics
    private let connection: ConnectionMetrics

    init?(_ hop: HopMetrics) {
        guard let connection = hop.connection else { return nil }
        (self.hop, self.connection) = (hop, connection)
    }

    private enum Key: String, CodingKey {
        case reused, remote, tls, version, cipher, resumed, group
        case signatureAlgorithm = "signature_algorithm"
        case pins = "spki_sha256"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(hop.isConnectionReused, forKey: .reused)
        try container.encode("\(connection.remoteAddress)", forKey: .remote)
        guard let tls = connection.tls else { return try container.encodeNil(forKey: .tls) }
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: .tls)
        try nested.encode(tls.version, forKey: .version)
        try nested.encode(tls.cipher, forKey: .cipher)
        try nested.encode(tls.resumed, forKey: .resumed)
        try nested.encode(tls.group, forKey: .group)
        try nested.encode(tls.signatureAlgorithm, forKey: .signatureAlgorithm)
        try nested.encode(connection.publicKeyPins, forKey: .pins)
    }
}

/// Seconds since the start of the last attempt; null if the event did not occur.
private struct TimelineReport: Encodable {
    private let contents: Transcript.Contents

    init?(_ contents: Transcript.Contents) {
        if contents.metrics == nil { return nil }
        self.contents = contents
    }

    private enum Key: String, CodingKey {
        case resolved, connected, secured, sent, response, total
    }

    func encode(to encoder: any Encoder) throws {
        let last = contents.lastHop
        var container = encoder.container(keyedBy: Key.self)
        for (key, instant) in [
            (Key.resolved, contents.resolved), (.connected, contents.connected), (.secured, contents.opened?.secured),
            (.sent, last?.connectionAcquired), (.response, last?.responseStart), (.total, contents.metrics?.end),
        ] {
            try container.encode(contents.seconds(at: instant), forKey: key)
        }
    }
}

private struct ErrorReport: Encodable {
    let kind: String
    let reason: String
    let phase: String
    let message: String

    init(_ error: any Error) {
        message = SensitiveFields.withoutUserinfo("\(error)")
        if let refused = error as? RefusedResponse {
            (kind, reason, phase) = (refused.kind, message, refused.phase)
            return
        }
        guard let error = error as? SessionError else {
            // Outside the engine, only writing the body can fail here.
            (kind, reason, phase) = ("output", "unwritable", SessionError.Phase.body.rawValue)
            return
        }
        kind = error.reason.kind.rawValue
        reason = error.reason.rule
        phase = error.phase.rawValue
    }
}
