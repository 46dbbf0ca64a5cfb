// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// `tern trust`: evaluates a pinning policy before it is deployed.
struct TrustCommand: CommandFamily {
    static let name = "trust"
    static let abstract = "Read pins, and test trust policies without a network or against a server."
    static var subcommands: [any ToolCommand.Type] {
        [
            TrustPinsCommand.self, TrustEvaluateCommand.self, TrustExplainCommand.self, TrustCheckCommand.self,
            TrustWatchCommand.self, TrustSchemaCommand.self, TrustLogsCommand.self,
        ]
    }
}

/// `tern trust evaluate`: the verdict, for scripts.
struct TrustEvaluateCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .group(\.question),
            .value("--batch", as: "file", help: "Evaluate the cases in this file, or in standard input for \"-\".") {
                $0.batch = $1.text
            },
            .toggle("--json", help: "Print one JSON object with everything.") { $0.isJSON = $1 })
    }

    static let name = "evaluate"
    static let abstract = "Evaluate a chain in a file, or a server's, as a session would."
    static let discussion = """
        Exits 0 if the server is accepted, 1 if it is refused, 2 for wrong usage.

        --batch reads one case per line, {"id", "host", "chain": [PEM, leaf first], "anchors": [PEM], "at": RFC \
        3339, "policy": {…}}, of which all but chain are optional, and prints one verdict per line, {"id", \
        "verdict": "accept" or "refuse", "reason", "detail"}. A line may have 1 MiB; a longer one is refused as \
        "line-too-long", and the batch continues. It exits 0 at the end of the file.

        A case's policy is a policy file's object, or a single rule: {"evaluation": "performDefaultEvaluation", \
        "performRevokedEvaluation", "pinPublicKeys", "pinCertificates", "pinSet", "composite" or \
        "disableEvaluation", "pins": ["sha256/…"], "certificates": [PEM], "validateCertificateChain": true, \
        "validateHost": true}. Either may have a "profile", "standard" or "web", and a "maxPathDepth".
        """

    var question = TrustQuestion()
    var batch: String?
    var isJSON = false

    func validate() throws {
        let isAlone = question.url == nil && question.chain == nil && question.host == nil && question.anchors == nil
        guard
            batch == nil
                || isAlone && question.lists.isEmpty && question.policy == PolicyOptions() && question.pins.isEmpty
                    && question.transparency == TransparencyOptions() && question.staple == nil
                    && question.distrusted.given.isEmpty
                    && question.timestamps == nil && question.at == nil && question.profile == nil
                    && question.maximumPathDepth == nil
                    && question.revocation.policy == nil
                    && question.routes == RouteOptions()
        else {
            throw UsageError("--batch takes everything else from its file")
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
        "\(result.isAccepted ? "accept" : "refuse"): \(result.rule): \(result.sentence)\(result.failure?.keysSeen ?? "")"
    }

    private func evaluate(batch path: String) throws {
        do {
            var batch = try TrustBatch(path: path)
            try batch.run()
        } catch let error as InputError {
            throw UsageError("--batch: \(error)")
        } catch let error as LineReader.ReadError {
            StandardStreams.tell("tern: \(path): \(error)")
            throw ExitCode(1)
        }
    }
}

/// `tern trust explain`: the verdict, for people.
struct TrustExplainCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .group(\.question),
            .toggle("--json", help: "Print one JSON object with everything.") { $0.isJSON = $1 })
    }

    static let name = "explain"
    static let abstract =
        "Say why a server is accepted or refused, certificate by certificate, and what to do about it."
    static let discussion = """
        Exit codes as for evaluate: 0 accepted, 1 refused, 2 wrong usage. --json prints the object that evaluate --json \
        prints, with the advice under "advice".
        """

    var question = TrustQuestion()
    var isJSON = false

    func run() async throws {
        let result = try await question.answer()
        try StandardStreams.print(isJSON ? JSONReport.text(VerdictReport(result)) : Explanation(result).text)
        if !result.isAccepted { throw ExitCode(1) }
    }
}

/// `tern trust pins`: the keys of a chain, in the form of pins.
struct TrustPinsCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand(
                "source",
                help:
                    "A file of certificates, a key or a signing request, PEM or DER; an https URL, or a host and a port."
            ) { $0.source = $1.text },
            .value("--policy", as: "file", help: "Exit with 1 unless a pin of this policy file matches for --host.") {
                $0.policy = $1.text
            },
            .value("--host", as: "host", help: "The host of --policy.") { $0.host = $1.text },
            .value(
                "--anchors", "--cacert", as: "file",
                help: "A PEM file with the only certificates to trust; without it, the system's."
            ) { $0.anchors = $1.text },
            .toggle("--json", help: "Print one JSON array.") { $0.isJSON = $1 },
            .group(\.routes))
    }

    static let name = "pins"
    static let abstract = "Print the SPKI pin of every certificate of a chain, leaf first."
    static let discussion = """
        A URL's chain is the verified one, down to its root; if it does not verify, it is the list that the server \
        sent, which proves nothing, and the exit code is 1. A file's certificates are not verified. The pin of a key, \
        or of a signing request, is that of the certificates which it will have: a backup pin.
        """

    var source = ""
    var anchors: String?
    var policy: String?
    var host: String?
    var isJSON = false
    var routes = RouteOptions()

    func validate() throws {
        guard (policy == nil) == (host == nil) else { throw UsageError("--policy and --host need each other") }
    }

    func run() async throws {
        guard Self.isServer(source) else {
            if anchors != nil { throw UsageError("--anchors: a file's certificates are not verified") }
            try LiveServer.check(routes)
            if FileStatus(of: source) == nil, source != "-", !source.contains("/"), source.contains(".") {
                throw UsageError("there is no file \(source); for a server, give https://\(source)")
            }
            return try show(try entries(ofFile: source))
        }
        let url = try RequestedURL(secure: source).url
        let anchors = try CertificateFile.anchors(anchors)
        let trust = try await LiveServer(url: url, anchors: anchors, routes: routes).presented()
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            .evaluate(trust, host: LiveServer.host(of: url) ?? "")
        try show((result.verifiedChain.isEmpty ? result.sentChain : result.verifiedChain).map(Entry.init))
        guard let failure = result.failure else { return }
        StandardStreams.tell("tern: not verified: \(failure)")
        throw ExitCode(1)
    }

    /// Whether it is no file: a URL, or what ends in a port, as in "localhost:8443".
    private static func isServer(_ source: String) -> Bool {
        if source.contains("://") { return true }
        let port = source.split(separator: ":", omittingEmptySubsequences: false).last.flatMap { UInt16($0) }
        return port != nil && source.contains(":") && FileStatus(of: source) == nil
    }

    /// The certificates in a file, or else its key.
    private func entries(ofFile path: String) throws -> [Entry] {
        do {
            return try CertificateFile.certificates(path, option: nil).map(Entry.init)
        } catch {
            guard let key = try? X509Certificate.PublicKey(keyFile: [UInt8](try TrustQuestion.contents(of: path, nil)))
            else { throw error }
            return [Entry(key)]
        }
    }

    private func show(_ entries: [Entry]) throws {
        if isJSON {
            try StandardStreams.print(try JSONReport.text(entries))
        } else {
            for entry in entries { try StandardStreams.print("\(entry.pin)  \(entry.name)") }
        }
        try match(entries)
    }

    /// Says whether the policy would accept one of the keys, by its pins alone.
    private func match(_ entries: [Entry]) throws {
        guard let policy, let host else { return }
        let manager = try PolicyOptions.read(policy, "--policy", { UsageError($0) }).manager()
        guard let set = manager.serverTrustPolicy(forHost: host)?.pinSets.first else {
            StandardStreams.tell("tern: no pin set of \(policy) covers \(host)")
            throw ExitCode(1)
        }
        let pins = Set((set.pins + set.backupPins).map(\.pin))
        // The scope "leaf" looks at the first certificate only.
        let seen = set.scope == .leaf ? Array(entries.prefix(1)) : entries
        if let entry = seen.first(where: { pins.contains($0.pin) }) {
            return StandardStreams.tell("tern: \(entry.pin) is pinned for \(host)")
        }
        StandardStreams.tell("tern: none of these is pinned for \(host)")
        throw ExitCode(1)
    }

    private struct Entry: Encodable {
        let pin: String
        let subject: String?
        let notAfter: String?

        /// For people.
        let name: String

        init(_ certificate: X509Certificate) {
            pin = certificate.publicKey.pin
            subject = certificate.subject
            notAfter = certificate.notAfter.map(JSONReport.time)
            name = "\(certificate)"
        }

        init(_ key: X509Certificate.PublicKey) {
            (pin, subject, notAfter, name) = (key.pin, nil, nil, "(a key)")
        }

        private enum CodingKeys: String, CodingKey {
            case pin, subject
            case notAfter = "not_after"
        }
    }
}
