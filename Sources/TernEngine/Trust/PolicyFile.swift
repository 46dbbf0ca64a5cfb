// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
public import TernIO
public import TernTLS

/// A trust policy in JSON: pin sets, and the rule for hosts without one.
///
/// ```json
/// {
///   "version": 1,
///   "unlistedHosts": "evaluate",
///   "profile": "standard",
///   "maxPathDepth": 3,
///   "pinSets": [
///     {
///       "hosts": ["api.example.com", "**.example.net"],
///       "excludedHosts": ["legacy.example.net"],
///       "pins": ["sha256/…"],
///       "backupPins": ["sha256/…"],
///       "scope": "anyCertificate",
///       "mode": "enforce",
///       "expires": "2030-12-31",
///       "reportURLs": ["https://reports.example.com/pins"]
///     }
///   ]
/// }
/// ```
///
/// Only `pinSets`, `hosts` and `pins` are required. `unlistedHosts` is `evaluate` (the default policy) or `refuse`;
/// `profile` is `standard` or `web`, `maxPathDepth` the maximum number of certificates between a server's and its
/// anchor, from 0 to 10; both default to the session's configuration; `scope` is `anyCertificate` or `leaf`; `mode` is
/// `enforce` or `reportOnly`; `expires` is a date in UTC or an RFC 3339 time. A name that is not in this list, a
/// duplicate name, and a host that is in two sets are errors.
public struct PolicyFile: Sendable, Hashable {
    /// The rule for a host that no pin set covers.
    public enum UnlistedHosts: String, Sendable, Hashable, CaseIterable {
        /// Evaluate it with the default policy: chain, dates, name.
        case evaluate
        /// Refuse it.
        case refuse
    }

    /// The pin sets of hosts.
    public var pinSets: [PinSet]
    /// The rule for all other hosts.
    public var unlistedHosts: UnlistedHosts
    /// The rules for the chains of all hosts; nil uses the session's configuration.
    public var profile: TrustProfile?
    /// The maximum number of certificates between a server's own and its anchor, for all hosts; nil uses the session's
    /// configuration.
    public var maximumPathDepth: Int?

    /// Creates a policy from its parts. Unlike in a file, a host may be in two sets.
    public init(
        pinSets: [PinSet], unlistedHosts: UnlistedHosts = .evaluate, profile: TrustProfile? = nil,
        maximumPathDepth: Int? = nil
    ) {
        self.maximumPathDepth = maximumPathDepth
        self.pinSets = pinSets
        self.unlistedHosts = unlistedHosts
        self.profile = profile
    }

    /// Reads a policy from its JSON text. Does not block.
    public init(json: [UInt8]) throws(PolicyFileError) {
        try self.init(fields: try JSONFields(reading: json))
    }

    /// In bytes.
    private static let maximumLength = 16 * 1024 * 1024

    /// Reads a policy from a regular file of at most 16 MB. Blocks while the file is read.
    public init(contentsOf file: URL) throws(PolicyFileError) { try self.init(json: try Self.contents(of: file)) }

    /// The bytes of a regular file of at most 16 MB.
    static func contents(of file: URL) throws(PolicyFileError) -> [UInt8] {
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
        if let version = fields.take("version") {
            guard case .number(let number) = version.node.value else { throw version.wrongType("a number") }
            guard number == "1" else { throw version.error(.unsupportedVersion(number)) }
        }
        unlistedHosts = try fields.take("unlistedHosts")?.word() ?? .evaluate
        profile = try fields.take("profile")?.word()
        maximumPathDepth = try fields.pathDepth()
        pinSets = []
        var seen: Set<HostPattern> = []
        for element in try fields.require("pinSets").elements() {
            let set = try PinSet(element, hosts: &seen)
            pinSets.append(set)
        }
        try fields.finish()
    }

    /// All problems that will cause trouble later, with the set of each; see ``TernTLS/PinSet/warnings(at:)``.
    public func warnings(at time: Int64) -> [(pinSet: PinSet, warning: PinSet.Warning)] {
        pinSets.flatMap { set in set.warnings(at: time).map { (set, $0) } }
    }

    /// The policy as a manager for a session.
    public func manager(
        onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) -> ServerTrustPolicyManager {
        ServerTrustPolicyManager(
            pinSets: pinSets, allHostsMustBeEvaluated: unlistedHosts == .refuse, profile: profile,
            maximumPathDepth: maximumPathDepth, onPinFailure: onPinFailure)
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
        /// Not a pin; the error has the reason.
        case invalidPin(PinError)
        /// Not a host name or pattern; the error has the reason.
        case invalidHost(HostPatternError)
        /// Not a certificate; the error has the reason.
        case invalidCertificate(CertificateError)
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
        /// Not a key that a log of certificates may have: P-256, or RSA of 2048 bits and more.
        case invalidLogKey
        /// The `log_id` is not the SHA-256 of the log's key.
        case wrongLogID
        /// The interval ends before it begins.
        case emptyInterval
        /// The file is not signed by the given key.
        case invalidSignature
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
        case .invalidPin(let error): "\(error)"
        case .invalidHost(let error): "\(error)"
        case .invalidCertificate(let error): "\(error)"
        case .invalidTime(let text): "\"\(text)\" is neither a date such as 2030-12-31 nor an RFC 3339 time"
        case .invalidMoment(let text): "\"\(text)\" is not an RFC 3339 time such as 2030-12-31T00:00:00Z"
        case .invalidURL(let text): "\"\(text)\" is not an http or https URL"
        case .repeatedHost(let pattern): "\"\(pattern)\" is in a pin set already"
        case .invalidBase64(let text): "\"\(text)\" is not padded base64"
        case .invalidLogKey: "this is no key of P-256, nor of RSA with 2048 to 8192 bits"
        case .wrongLogID: "this is not the SHA-256 of the log's key"
        case .emptyInterval: "the interval ends before it begins"
        case .invalidSignature: "the file is not signed by the given key"
        case .unsupportedVersion(let version): "version \(version) is not supported; this reader knows version 1"
        }
    }
}
