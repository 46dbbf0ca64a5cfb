// SPDX-License-Identifier: Apache-2.0
public import TernTLS

/// What is wrong with a trust policy file, and where.
public struct PolicyFileError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The file cannot be read.
        case unreadable(path: String)
        /// Not JSON, or JSON that readers interpret differently.
        case invalidJSON(String)
        /// A required field is missing.
        case missingField
        /// The field is unknown; a policy that is not fully understood must not be applied in part.
        case unknownField
        /// The field is unknown, and its name resembles that of a missing required one.
        case misspelledField(meant: String)
        /// The value is of another JSON type.
        case wrongType(expected: String, found: String)
        /// The word is none of `allowed`.
        case unknownWord(String, allowed: [String])
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
        /// Not an http or https URL.
        case invalidURL(String)
        /// The same host or pattern belongs to another pin set already.
        case repeatedHost(HostPattern)
        /// The `version` is not supported.
        case unsupportedVersion(String)
    }

    /// The kind of error.
    public let reason: Reason
    /// The path of the field, such as `pinSets[0].pins[1]`; empty for the file as a whole.
    public let field: String
    /// Counted from 1; 0 if the error is not in one line.
    public let line: Int

    init(_ reason: Reason, field: String, line: Int) {
        self.reason = reason
        self.field = field
        self.line = line
    }
}

extension PolicyFileError: CustomStringConvertible {
    /// `line 4, pinSets[0].pins[1]: the pin "…" does not begin with "sha256/"`.
    public var description: String {
        let place = [line > 0 ? "line \(line)" : "", field].filter { !$0.isEmpty }.joined(separator: ", ")
        return place.isEmpty ? "\(reason)" : "\(place): \(reason)"
    }
}

extension PolicyFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path): "cannot read \(path)"
        case .invalidJSON(let text): "not valid JSON: \(text)"
        case .missingField: "missing"
        case .unknownField: "there is no such field"
        case .misspelledField(let name): "there is no such field; did you mean \"\(name)\"?"
        case .wrongType(let expected, let found): "\(expected) is expected here, not \(found)"
        case .unknownWord(let word, let allowed):
            "\"\(word)\" is none of " + allowed.map { "\"\($0)\"" }.joined(separator: ", ")
        case .empty: "must not be empty"
        case .invalidPin(let error): "\(error)"
        case .invalidHost(let error): "\(error)"
        case .invalidCertificate(let error): "\(error)"
        case .invalidTime(let text): "\"\(text)\" is neither a date such as 2030-12-31 nor an RFC 3339 time"
        case .invalidURL(let text): "\"\(text)\" is not an http or https URL"
        case .repeatedHost(let pattern): "\"\(pattern)\" belongs to another pin set already"
        case .unsupportedVersion(let version): "version \(version) is not supported; this reader knows version 1"
        }
    }
}
