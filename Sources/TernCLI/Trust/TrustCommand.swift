// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import TernEngine

/// `tern trust`: evaluates a pinning policy before it is deployed.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Read pins, and test trust policies without a network or against a server.",
        subcommands: [TrustPinsCommand.self, TrustEvaluateCommand.self, TrustExplainCommand.self])
}

/// `tern trust evaluate`: the verdict, for scripts.
struct TrustEvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Evaluate a chain in a file, or a server's, as a session would.",
        discussion: """
            Exits 0 if the server is accepted, 1 if it is refused, 2 for wrong usage.

            --batch reads one case per line, {"id", "host", "chain": [PEM, leaf first], "anchors": [PEM], "at": RFC \
            3339, "policy": {…}}, of which all but chain are optional, and prints one verdict per line, {"id", \
            "verdict": "accept" or "refuse", "reason", "detail"}. A line may have 1 MiB; a longer one is refused as \
            "line-too-long", and the batch continues. It exits 0 at the end of the file.

            A case's policy is a policy file's object, or a single rule: {"evaluation": "performDefaultEvaluation", \
            "performRevokedEvaluation", "pinPublicKeys", "pinCertificates", "pinSet", "composite" or \
            "disableEvaluation", "pins": ["sha256/…"], "certificates": [PEM], "validateCertificateChain": true, \
            "validateHost": true}. Either may have a "profile", "standard" or "web".
            """)

    @OptionGroup var question: TrustQuestion

    @Option(help: ArgumentHelp("Evaluate the cases in this file, or in standard input for \"-\".", valueName: "file"))
    var batch: String?

    @Flag(name: .customLong("json"), help: "Print one JSON object with everything.")
    var isJSON = false

    func validate() throws {
        let isAlone = question.url == nil && question.chain == nil && question.host == nil && question.anchors == nil
        guard
            batch == nil
                || isAlone && question.lists.isEmpty && question.policy == nil && question.pins.isEmpty
                    && question.at == nil && question.profile == nil && question.revocation.policy == nil
        else {
            throw ValidationError("--batch takes everything else from its file")
        }
    }

    func run() async throws {
        if let batch { return try evaluate(batch: batch) }
        let result = try await question.answer()
        if isJSON {
            try StandardStreams.print(try JSONReport.text(VerdictReport(result)))
        } else {
            try StandardStreams.print(line(result))
        }
        if !result.isAccepted { throw ExitCode(1) }
    }

    private func line(_ result: ServerTrustResult) -> String {
        "\(result.isAccepted ? "accept" : "refuse"): \(result.rule): \(result.sentence)"
    }

    private func evaluate(batch path: String) throws {
        guard var batch = TrustBatch(path: path) else { throw ValidationError("--batch: cannot read \(path)") }
        do {
            try batch.run()
        } catch let error as LineReader.ReadError {
            StandardStreams.tell("tern: \(path): \(error)")
            throw ExitCode(1)
        }
    }
}

/// `tern trust explain`: the verdict, for people.
struct TrustExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say why a server is accepted or refused, certificate by certificate, and what to do about it.",
        discussion: "Exit codes as for evaluate: 0 accepted, 1 refused, 2 wrong usage.")

    @OptionGroup var question: TrustQuestion

    func run() async throws {
        let result = try await question.answer()
        try StandardStreams.print(Explanation(result).text)
        if !result.isAccepted { throw ExitCode(1) }
    }
}

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
