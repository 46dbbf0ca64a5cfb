// SPDX-License-Identifier: Apache-2.0

/// What a policy of Certificate Transparency found out about a server's certificate.
public struct TransparencyVerdict: Sendable, Hashable {
    /// What is missing; nil if the certificate complies, or if the list of logs is too old to tell.
    public let shortfall: TransparencyShortfall?
    /// Whether the list of logs is too old. Then the policy has no effect, unless it requires a fresh one.
    public let isListOutdated: Bool
    /// Each timestamp, in the order in which they were found; at most ``maximumTimestamps``.
    public let findings: [TransparencyFinding]
    /// The policy's description.
    public let policy: String
    /// The last moment, in seconds since 1970, for which the verdict is the same; nil if it does not end.
    let end: Int64?

    /// How many timestamps of one server are looked at. Certificates have two to five.
    public static let maximumTimestamps = 32

    /// The verdict as one line without a full stop.
    public var sentence: String {
        if let shortfall { return shortfall.sentence }
        if isListOutdated { return "the list of certificate logs is out of date, so the policy has no effect" }
        return "enough logs have promised to publish the certificate"
    }
}

/// One signed certificate timestamp, and whether it counts.
public struct TransparencyFinding: Sendable, Hashable {
    /// Where it was found (RFC 6962 §3.3).
    public enum Source: String, Sendable, Hashable {
        /// In the certificate.
        case certificate
        /// In the server's handshake, the TLS extension `signed_certificate_timestamp`.
        case handshake
        /// In the server's stapled OCSP response.
        case staple
    }

    /// Whether it counts, or why not.
    public enum Status: Sendable, Hashable {
        /// It counts.
        case valid
        /// The log has another timestamp, which counts.
        case repeatedLog
        /// The log is not in the list.
        case unknownLog
        /// The log is not trusted, or no longer.
        case untrustedLog(TransparencyLog.State)
        /// It is later than the evaluation.
        case future
        /// The log does not take certificates that end when this one does.
        case outsideInterval
        /// The log has not signed it for this certificate.
        case invalidSignature
        /// The log is a tiled one, and the timestamp does not say where its entry is, or says it twice (static-ct-api).
        case noLeafIndex
        /// The certificate's issuer is not in the verified chain, so its signature cannot be checked.
        case noIssuer
        /// It has a version that is not known: only version 1 is.
        case unknownVersion(UInt8)
        /// It, or the list that it is in, cannot be read.
        case malformed
    }

    /// Where it was found.
    public let source: Source
    /// The SHA-256 of the log's key; empty if it cannot be read.
    public let logID: [UInt8]
    /// The log; nil if it is not in the list.
    public let log: TransparencyLog?
    /// The log's time of signing, in seconds since 1970; nil if it cannot be read.
    public let time: Int64?
    /// Whether it counts, or why not.
    public let status: Status

    init(
        _ source: Source, _ status: Status, timestamp: SignedCertificateTimestamp? = nil, log: TransparencyLog? = nil
    ) {
        self.source = source
        self.status = status
        self.log = log
        logID = timestamp?.logID ?? []
        time = timestamp?.seconds
    }

    /// Whether it counts.
    public var isValid: Bool { status == .valid }

    /// The operator of the log when it signed; nil if the log is not in the list.
    public var operatorName: String? {
        guard let log, let time else { return nil }
        return log.operatorName(at: time)
    }
}

extension TransparencyFinding: CustomStringConvertible {
    /// One line: the log, its operator, the time, the source, and why it does or does not count.
    public var description: String {
        var parts: [String] = []
        if let log {
            parts.append(
                PrintableText.replacing("\(log.description) (\(operatorName ?? log.operatorName))") { _ in "?" })
        } else if !logID.isEmpty {
            parts.append("log \(Base64.encode(logID))")
        }
        if let time { parts.append(Timestamp.text(time)) }
        return (parts + ["in the \(source.rawValue)", status.sentence]).joined(separator: ", ")
    }
}

extension TransparencyFinding.Status {
    /// A stable word for programs.
    public var word: String {
        switch self {
        case .valid: "valid"
        case .repeatedLog: "repeated-log"
        case .unknownLog: "unknown-log"
        case .untrustedLog: "untrusted-log"
        case .future: "future"
        case .outsideInterval: "outside-interval"
        case .invalidSignature: "invalid-signature"
        case .noLeafIndex: "no-leaf-index"
        case .noIssuer: "no-issuer"
        case .unknownVersion: "unknown-version"
        case .malformed: "malformed"
        }
    }

    var sentence: String {
        switch self {
        case .valid: "counts"
        case .repeatedLog: "does not count again: the log has another timestamp"
        case .unknownLog: "does not count: the log is not in the list"
        case .untrustedLog(.retired(let time)):
            "does not count: the log was retired at \(Timestamp.text(time))"
        case .untrustedLog(.rejected): "does not count: the log is rejected"
        case .untrustedLog(.pending): "does not count: the log is not trusted yet"
        case .untrustedLog: "does not count: the log is not trusted"
        case .future: "does not count: it is from the future"
        case .outsideInterval: "does not count: the log takes no certificates that end when this one does"
        case .invalidSignature: "does not count: the log has not signed it for this certificate"
        case .noLeafIndex: "does not count: it does not say where the tiled log has its entry"
        case .noIssuer: "does not count: the certificate's issuer is unknown, so its signature cannot be checked"
        case .unknownVersion(let version): "does not count: version \(Int(version) + 1) is not known"
        case .malformed: "does not count: it cannot be read"
        }
    }
}
