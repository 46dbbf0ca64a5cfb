// SPDX-License-Identifier: Apache-2.0
import Tern

/// What `-v` tells, in curl's notation. Secrets in the request's headers are not shown.
struct VerboseReport {
    let request: Tern.URLRequest
    let transcript: Transcript.Contents

    func print() {
        StandardStreams.tell(lines.joined(separator: "\n"))
    }

    private var lines: [String] {
        connectionLines + requestLines + responseLines + trailerLines
    }

    private var connectionLines: [String] {
        guard let connection = transcript.metrics?.connection else { return [] }
        var lines = ["* connected to \(connection.remoteAddress)"]
        if let tls = connection.tls {
            lines.append("* \(tls.version), \(tls.cipher)\(tls.resumed ? ", resumed" : "")")
            lines += connection.publicKeyPins.enumerated().map { "* certificate \($0): \($1)" }
        }
        return lines
    }

    private var requestLines: [String] {
        ["> \(request)"] + request.headers.map { "> \($0.name): \(Self.isSecret($0.name) ? "(not shown)" : $0.value)" }
    }

    private var responseLines: [String] {
        guard let response = transcript.response else { return [] }
        return ["< \(response.head.version) \(response.statusCode) \(response.reasonPhrase)"]
            + response.headers.map { "< \($0.name): \($0.value)" }
    }

    private var trailerLines: [String] {
        transcript.trailers.map { "< (trailer) \($0.name): \($0.value)" }
            + transcript.discardedTrailers.map { "< (discarded trailer) \($0.name): \($0.value)" }
    }

    private static func isSecret(_ name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains(name.lowercased())
    }
}
