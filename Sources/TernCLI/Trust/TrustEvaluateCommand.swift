// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern

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
