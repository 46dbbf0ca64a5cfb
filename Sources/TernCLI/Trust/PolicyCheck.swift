// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

/// `tern trust check`: what is wrong with a policy file, without a chain.
struct TrustCheckCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand("policy", help: "A policy file in JSON, or \"-\" for standard input.") { $0.file = $1.text },
            .value("--at", as: "time", help: "The date, or the RFC 3339 time, of the check; by default now.") {
                $0.at = $1.text
            },
            .toggle("--json", help: "Print one JSON object with everything.") { $0.isJSON = $1 })
    }

    static let name = "check"
    static let abstract = "Say what is wrong with a policy file, before it is deployed."
    static let discussion = """
        Finds what will cause trouble later: no backup pin, pins that have expired or will within 30 days, one pin in \
        two sets, a wildcard over a public suffix, a host that one set pins although a pattern of another covers it.

        Exits 0 if nothing is found, 1 if something is, 2 if the file is no policy, with its line and field.
        """

    var file = ""
    var at: String?
    var isJSON = false

    func run() async throws {
        let time = try at.map { try TrustQuestion.moment($0).seconds } ?? Timestamp.current
        let text = try TrustQuestion.contents(of: file, nil)
        let policy: PolicyFile
        do throws(PolicyFileError) {
            policy = try PolicyFile(json: [UInt8](text))
        } catch {
            if isJSON { try StandardStreams.print(try JSONReport.text(Report(error))) }
            throw UsageError("\(file): \(error)")
        }
        let findings = policy.findings(at: time)
        if isJSON {
            try StandardStreams.print(try JSONReport.text(Report(policy, findings)))
        } else {
            for finding in findings {
                try StandardStreams.print("\(finding.field): \(finding.rule): \(finding.message)")
            }
            if findings.isEmpty {
                let (count, kind) = (policy.rules.count, policy.version == 1 ? "pin set" : "rule")
                try StandardStreams.print("nothing found in \(count) \(kind)\(count == 1 ? "" : "s")")
            }
        }
        if !findings.isEmpty { throw ExitCode(1) }
    }

    private struct Report: Encodable {
        let isPolicy: Bool
        let findings: [Entry]

        init(_ error: PolicyFileError) {
            isPolicy = false
            findings = [
                Entry(
                    rule: "invalid-policy", field: error.field, line: error.line > 0 ? error.line : nil,
                    message: "\(error.reason)")
            ]
        }

        init(_: PolicyFile, _ findings: [PolicyFile.Finding]) {
            isPolicy = true
            self.findings = findings.map { Entry(rule: $0.rule, field: $0.field, line: nil, message: $0.message) }
        }

        private enum CodingKeys: String, CodingKey {
            case isPolicy = "is_policy"
            case findings
        }
    }

    private struct Entry: Encodable {
        let rule: String
        let field: String
        let line: Int?
        let message: String
    }
}

/// `tern trust schema`: the format of policy files, for editors.
struct TrustSchemaCommand: ToolCommand {
    static var table: OptionTable<Self> { OptionTable() }

    static let name = "schema"
    static let abstract = "Print the format of policy files as JSON Schema."
    static let discussion = """
        An editor that knows the schema of a file completes and checks it: {"$schema": …} is no member of a policy, so \
        name the schema in the settings of the editor.
        """

    func run() async throws { try StandardStreams.print(PolicyFile.jsonSchema) }
}
