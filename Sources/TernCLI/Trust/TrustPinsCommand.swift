// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine

/// `tern trust pins`: the keys of a chain, in the form of pins.
struct TrustPinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Print the SPKI pin of every certificate of a chain, leaf first.",
        discussion: """
            A URL's chain is the verified one, down to its root; if it does not verify, it is the list that the server \
            sent, which proves nothing, and the exit code is 1. A file's certificates are not verified.
            """)

    @Argument(help: "A PEM or DER file, or an https URL.")
    var source: String

    @Option(
        name: [.customLong("anchors"), .customLong("cacert")],
        help: "A PEM file with the only certificates to trust; without it, the system's.")
    var anchors: String?

    @Flag(name: .customLong("json"), help: "Print one JSON array.")
    var isJSON = false

    func run() async throws {
        guard source.contains("://") else {
            if anchors != nil { throw ValidationError("--anchors: a file's certificates are not verified") }
            return try show(try CertificateFile.certificates(source, option: source))
        }
        let url = try RequestedURL(secure: source).url
        let trust = try await LiveServer(url: url, anchors: try CertificateFile.anchors(anchors)).presented()
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            .evaluate(trust, host: LiveServer.host(of: url) ?? "")
        try show(result.verifiedChain.isEmpty ? result.sentChain : result.verifiedChain)
        guard let failure = result.failure else { return }
        StandardStreams.tell("tern: not verified: \(failure)")
        throw ExitCode(1)
    }

    private func show(_ certificates: [X509Certificate]) throws {
        if isJSON { return try StandardStreams.print(try JSONReport.text(certificates.map(Entry.init))) }
        for certificate in certificates { try StandardStreams.print("\(certificate.publicKey.pin)  \(certificate)") }
    }

    private struct Entry: Encodable {
        let pin: String
        let subject: String
        let notAfter: String?

        init(_ certificate: X509Certificate) {
            pin = certificate.publicKey.pin
            subject = certificate.subject
            notAfter = certificate.notAfter.map(JSONReport.time)
        }

        private enum CodingKeys: String, CodingKey {
            case pin, subject
            case notAfter = "not_after"
        }
    }
}
