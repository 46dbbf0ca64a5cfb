// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine

/// What `-v` tells, in curl's notation. The values of secret fields are not shown.
struct VerboseReport: Sendable {
    /// The head of the request, byte for byte as the session sends it.
    let requestHead: [UInt8]
    let sensitiveFields: SensitiveFields

    func sending(on connection: ConnectionMetrics) -> [String] {
        var lines = ["* connected to \(connection.remoteAddress)"]
        if let tls = connection.tls {
            lines.append("* \(tls.version), \(tls.cipher)\(tls.resumed ? ", resumed" : "")")
            lines += connection.publicKeyPins.enumerated().map { "* certificate \($0): \($1)" }
        }
        return lines + requestLines + [">"]
    }

    func receiving(_ response: Tern.HTTPURLResponse) -> [String] {
        ["< \(response.head.version) \(response.statusCode) \(response.reasonPhrase)"]
            + response.headers.map { "< " + shown($0) } + ["<"]
    }

    func receiving(trailers: HTTPFields) -> [String] {
        trailers.map { "< (trailer) " + shown($0) }
    }

    func receiving(discardedTrailers: HTTPFields) -> [String] {
        discardedTrailers.map { "< (discarded trailer) " + shown($0) }
    }

    private var requestLines: [String] {
        let lines = requestHead.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        return lines.enumerated().filter { !$0.element.isEmpty }.map { index, line in
            "> " + (index == 0 ? line : shown(Self.field(line)))
        }
    }

    private func shown(_ field: HTTPField) -> String { sensitiveFields.description(of: field) }

    private static func field(_ line: String) -> HTTPField {
        let name = line.prefix { $0 != ":" }
        return HTTPField(
            name: String(name), value: String(line.dropFirst(name.count + 1).drop { $0 == " " }))
    }
}
