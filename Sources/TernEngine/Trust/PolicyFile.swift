// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
public import TernIO
public import TernTLS

/// A trust policy in JSON: what is demanded of the servers of hosts.
///
/// ```json
/// {
///   "version": 2,
///   "number": 7,
///   "unlistedHosts": "evaluate",
///   "rules": [
///     {
///       "hosts": ["api.example.com", "**.example.net"],
///       "pins": ["sha256/…"],
///       "backupPins": ["sha256/…"],
///       "expires": "2030-12-31",
///       "certificateTransparency": "chrome",
///       "revocation": {"unknown": "accept"},
///       "minTLSVersion": "1.3"
///     }
///   ]
/// }
/// ```
///
/// All members are in the article "A policy for a company", and in the schema for editors, ``jsonSchema``. Only `version`,
/// `rules` and the `hosts` of each rule are required. A name that is not there, a duplicate name, and a host that is in two
/// rules are errors.
///
/// The first version of the format, `"version": 1` or none, has `pinSets` in place of `rules`: `hosts`, `pins`, and of the
/// others only `excludedHosts`, `backupPins`, `scope`, `mode`, `expires` and `reportURLs`.
public struct PolicyFile: Sendable, Hashable {
    /// The rule for a host that no rule covers.
    public enum UnlistedHosts: String, Sendable, Hashable, CaseIterable {
        /// Evaluate it with the default policy: chain, dates, name.
        case evaluate
        /// Refuse it.
        case refuse
    }

    /// The version of the format: 1 or 2.
    public private(set) var version = 2
    /// The number of the policy, which only grows from one edition to the next; nil for none.
    public var number: Int?
    /// What is demanded of the servers of hosts.
    public var rules: [Rule] = []
    /// The rule for all other hosts.
    public var unlistedHosts = UnlistedHosts.evaluate
    /// What is demanded of the servers of all other hosts, unless they are refused; nil demands what the default policy does.
    /// Its own list of hosts is not used.
    public var unlistedRule: Rule?
    /// The rules for the chains of all hosts; nil uses the session's configuration.
    public var profile: TrustProfile?
    /// The maximum number of certificates between a server's own and its anchor, for all hosts; nil uses the session's
    /// configuration.
    public var maximumPathDepth: Int?

    /// What is demanded in place of the rules, for debugging.
    struct Overrides: Sendable, Hashable {
        let rules: [Rule]
        let unlistedRule: Rule?
    }

    var overrides: Overrides?

    /// The pin sets of hosts: of each rule that pins. Setting it replaces all rules.
    public var pinSets: [PinSet] {
        get { rules.compactMap(\.pinSetOfHosts) }
        set { rules = newValue.map(Rule.init) }
    }

    /// Creates a policy from its parts. Unlike in a file, a host may be in two sets.
    public init(
        pinSets: [PinSet], unlistedHosts: UnlistedHosts = .evaluate, profile: TrustProfile? = nil,
        maximumPathDepth: Int? = nil
    ) {
        (version, self.unlistedHosts) = (1, unlistedHosts)
        (self.profile, self.maximumPathDepth) = (profile, maximumPathDepth)
        self.pinSets = pinSets
    }

    /// Creates a policy from rules. Unlike in a file, a host may be in two rules; the first counts.
    public init(rules: [Rule], unlistedHosts: UnlistedHosts = .evaluate) {
        (self.rules, self.unlistedHosts) = (rules, unlistedHosts)
    }

    /// Reads a policy from its JSON text. Does not block.
    public init(json: some Sequence<UInt8>) throws(PolicyFileError) {
        let json = Array(json)
        try self.init(fields: try JSONFields(reading: json))
    }

    /// In bytes.
    private static let maximumLength = 16 * 1024 * 1024

    /// Reads a policy from a regular file of at most 16 MB. Blocks while the file is read.
    public init(contentsOf file: URL) throws(PolicyFileError) { try self.init(json: try Self.contents(of: file)) }

    /// The bytes of a regular file of at most 16 MB.
    package static func contents(of file: URL) throws(PolicyFileError) -> [UInt8] {
        let path = file.path(percentEncoded: false)
        do throws(SystemCallError) {
            guard let contents = try FileContent.read(path, limit: maximumLength) else { throw .missingFile }
            return contents
        } catch {
            throw PolicyFileError(.unreadable(path: path, error))
        }
    }

    package init(fields: JSONFields) throws(PolicyFileError) {
        var fields = fields
        version = 1
        if let element = fields.take("version") {
            guard case .number(let number) = element.node.value else { throw element.wrongType("a number") }
            guard let known = Int(number), (1...2).contains(known) else {
                throw element.error(.unsupportedVersion(number))
            }
            version = known
        }
        try fields.read(into: &self, by: version == 1 ? Self.fieldsOfVersion1 : Self.fields)
    }

    /// All problems that will cause trouble later, with the set of each; see ``TernTLS/PinSet/warnings(at:)``.
    public func warnings(at time: Int64) -> [(pinSet: PinSet, warning: PinSet.Warning)] {
        pinSets.flatMap { set in set.warnings(at: time).map { (set, $0) } }
    }

    /// The policy as a manager for a session.
    public func manager(
        onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) -> ServerTrustPolicyManager {
        let sets = [overrides, Overrides(rules: rules, unlistedRule: unlistedRule)].compactMap(\.self)
        return ServerTrustPolicyManager(
            sets.map { set in
                (set.rules.map { ($0.hosts, $0.excludedHosts, $0.policy) }, set.unlistedRule?.policy)
            },
            allHostsMustBeEvaluated: unlistedHosts == .refuse, profile: profile, maximumPathDepth: maximumPathDepth,
            onPinFailure: onPinFailure)
    }

    /// The format, version 2, as JSON Schema (draft 2020-12): editors complete and check with it.
    public static var jsonSchema: String {
        let schema = PolicyForm.object([versionField] + fields).schema()
        return "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
            + "\n  \"title\": \"Tern trust policy, version 2\"," + schema.dropFirst() + "\n"
    }

    /// The members of the format, version 2, as a list in Markdown.
    package static var page: [String] { PolicyForm.object([versionField] + fields).page() }
}

// The members of a file
extension PolicyFile {
    private static let versionField = PolicyField<Self>(
        "version", .number(2...2), "The version of the format.", isRequired: true
    ) { _, _ in }

    private static let fieldsOfAllVersions: [PolicyField<Self>] = [
        PolicyField(
            "profile", .word(TrustProfile.self), "The rules for the certificates of all hosts."
        ) { file, value throws(PolicyFileError) in file.profile = try value.word() },
        PolicyField(
            "maxPathDepth", .number(0...10),
            "The maximum number of certificates between a server's own and its anchor, for all hosts."
        ) { file, value throws(PolicyFileError) in file.maximumPathDepth = try value.number(in: 0...10) },
    ]

    private static let fields: [PolicyField<Self>] =
        [
            PolicyField(
                "number", .number(0...Int.max),
                "The number of the policy, which grows from one edition to the next: see \"Over the air\"."
            ) { file, value throws(PolicyFileError) in file.number = try value.number(in: 0...Int.max) },
            PolicyField(
                "unlistedHosts", .either([.word(UnlistedHosts.self), .object(Rule.fieldsOfDemands)]),
                "What becomes of other hosts: `evaluate` by the default policy, `refuse`, or the members of a rule."
            ) { file, value throws(PolicyFileError) in
                guard case .object = value.node.value else {
                    file.unlistedHosts = try value.word()
                    return
                }
                var rule = Rule(hosts: [])
                try JSONFields(value).read(into: &rule, by: Rule.fieldsOfDemands)
                file.unlistedRule = rule
            },
        ] + fieldsOfAllVersions + [
            PolicyField("rules", .list(.object(Rule.fields)), "What is demanded of hosts.", isRequired: true) {
                file, value throws(PolicyFileError) in try file.readRules(value, by: Rule.fields)
            }
        ]

    private static let fieldsOfVersion1: [PolicyField<Self>] =
        [
            PolicyField("unlistedHosts", .word(UnlistedHosts.self), "") { file, value throws(PolicyFileError) in
                file.unlistedHosts = try value.word()
            }
        ] + fieldsOfAllVersions + [
            PolicyField("pinSets", .list(.object(Rule.fieldsOfVersion1)), "", isRequired: true) {
                file, value throws(PolicyFileError) in try file.readRules(value, by: Rule.fieldsOfVersion1)
            }
        ]

    private mutating func readRules(_ value: JSONElement, by table: [PolicyField<Rule>]) throws(PolicyFileError) {
        var seen: Set<HostPattern> = []
        for element in try value.elements() {
            var rule = Rule(hosts: [])
            let fields = try JSONFields(element)
            try fields.read(into: &rule, by: table)
            for (index, pattern) in rule.hosts.enumerated() where !seen.insert(pattern).inserted {
                throw fields.error(.repeatedHost(pattern), ofElement: index, of: "hosts")
            }
            rules.append(rule)
        }
    }
}

/// What is wrong with a trust policy file or a list of logs of certificates, and where.
public struct PolicyFileError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The file cannot be read.
        case unreadable(path: String, SystemCallError)
        /// Not JSON, or JSON that readers interpret differently.
        case invalidJSON(String)
        /// A required field is missing.
        case missingField
        /// The field is unknown; a policy that is not fully understood must not be applied in part.
        case unknownField
        /// The field is unknown, and its name resembles that of a field that is not given.
        case misspelledField(meant: String)
        /// The value is of another JSON type.
        case wrongType(expected: String, found: String)
        /// The word is none of `allowed`.
        case unknownWord(String, allowed: [String])
        /// Not a whole number in this range.
        case outOfRange(String, allowed: ClosedRange<Int>)
        /// The list must not be empty.
        case empty
        /// The member has no effect without another one.
        case needs(String)
        /// The member cannot stand beside another one.
        case excludes(String)
        /// Not a SPIFFE ID, or not a trust domain; the error has the reason.
        case invalidSPIFFEID(SPIFFEIDError)
        /// Not a network of addresses; the error has the reason.
        case invalidNetwork(InvalidIPNetwork)
        /// Not hexadecimal digits, or more than 40.
        case invalidSerialNumber(String)
        /// Not a pin; the error has the reason.
        case invalidPin(PinError)
        /// Not a host name or pattern; the error has the reason.
        case invalidHost(HostPatternError)
        /// Not a certificate; the error has the reason.
        case invalidCertificate(CertificateError)
        /// A key of a SPIFFE bundle has this many certificates, and must have one.
        case notOneCertificate(Int)
        /// Neither `yyyy-MM-dd` nor an RFC 3339 time.
        case invalidTime(String)
        /// Not an RFC 3339 time, where no date stands for its first second.
        case invalidMoment(String)
        /// Not an http or https URL.
        case invalidURL(String)
        /// The same host or pattern is there already, in this pin set or in another.
        case repeatedHost(HostPattern)
        /// The `version` is not supported.
        case unsupportedVersion(String)
        /// Not base64 with padding.
        case invalidBase64(String)
        /// Not an X.509 name in DER.
        case invalidName
        /// Not a key that a log of certificates may have: P-256, or RSA of 2048 bits and more.
        case invalidLogKey
        /// The `log_id` is not the SHA-256 of the log's key.
        case wrongLogID
        /// The interval ends before it begins.
        case emptyInterval
        /// The file is not signed by the given key.
        case invalidSignature
        /// The policy is older than one that was read before.
        case outdated(number: Int, last: Int)
        /// The file with the number of the last policy has something else.
        case invalidNumberFile(path: String)
        /// The file with the number of the last policy cannot be written.
        case unwritable(path: String, SystemCallError)
        /// Policies are overridden in programs that are built for debugging only.
        case debugBuildsOnly
    }

    /// The kind of error.
    public let reason: Reason
    /// The path of the field, such as `pinSets[0].pins[1]`; empty for the file as a whole.
    public let field: String
    /// Counted from 1; 0 if the error is not in one line.
    public let line: Int
    /// The first byte at fault within the line, counted from 1; 0 if the error is not in one line.
    public let column: Int

    init(_ reason: Reason, field: String = "", line: Int = 0, column: Int = 0) {
        self.reason = reason
        self.field = field
        self.line = line
        self.column = column
    }
}

extension PolicyFileError: CustomStringConvertible {
    /// `line 4, column 15, pinSets[0].pins[1]: the pin "…" does not begin with "sha256/"`.
    public var description: String {
        let place = [line > 0 ? "line \(line), column \(column)" : "", field].filter { !$0.isEmpty }
            .joined(separator: ", ")
        return place.isEmpty ? "\(reason)" : "\(place): \(reason)"
    }
}

extension PolicyFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "cannot read \(path): \(error)"
        case .invalidJSON(let text): "not valid JSON: \(text)"
        case .missingField: "the field is missing"
        case .unknownField: "there is no such field"
        case .misspelledField(let name): "there is no such field; did you mean \"\(name)\"?"
        case .wrongType(let expected, let found): "\(expected) is expected here, not \(found)"
        case .unknownWord(let word, let allowed):
            "\"\(word)\" is none of " + allowed.map { "\"\($0)\"" }.joined(separator: ", ")
        case .outOfRange(let text, let range):
            "\(text) is not a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .empty: "the list is empty"
        case .needs(let name): "this has no effect without \"\(name)\""
        case .excludes(let name): "this cannot stand beside \"\(name)\""
        case .invalidSPIFFEID(let error): "\(error)"
        case .invalidNetwork(let error): "\(error)"
        case .invalidSerialNumber(let text): "\"\(text)\" is no serial number in at most 40 hexadecimal digits"
        case .invalidPin(let error): "\(error)"
        case .invalidHost(let error): "\(error)"
        case .invalidCertificate(let error): "\(error)"
        case .notOneCertificate(let count): "one certificate is expected here, not \(count)"
        case .invalidTime(let text): "\"\(text)\" is neither a date such as 2030-12-31 nor an RFC 3339 time"
        case .invalidMoment(let text): "\"\(text)\" is not an RFC 3339 time such as 2030-12-31T00:00:00Z"
        case .invalidURL(let text): "\"\(text)\" is not an http or https URL"
        case .repeatedHost(let pattern): "\"\(pattern)\" is in this list or another already"
        case .invalidBase64(let text): "\"\(text)\" is not padded base64"
        case .invalidName: "this is not an X.509 name in DER"
        case .invalidLogKey: "this is no key of P-256, nor of RSA with 2048 to 8192 bits"
        case .wrongLogID: "this is not the SHA-256 of the log's key"
        case .emptyInterval: "the interval ends before it begins"
        case .invalidSignature: "the file is not signed by the given key"
        case .outdated(let number, let last): "the policy has the number \(number), and \(last) was read before"
        case .invalidNumberFile(let path): "\(path) has no number in decimal digits"
        case .unwritable(let path, let error): "cannot write \(path): \(error)"
        case .debugBuildsOnly: "this program is not built for debugging, so nothing overrides its policies"
        case .unsupportedVersion(let version): "version \(version) is not supported; this reader knows 1 and 2"
        }
    }
}
