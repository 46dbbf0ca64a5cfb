// SPDX-License-Identifier: Apache-2.0

/// A log of certificates (RFC 6962), as a list of logs describes it.
public struct TransparencyLog: Sendable {
    /// How far a log is trusted, with the time since when, in seconds since 1970.
    public enum State: Sendable, Hashable {
        /// Asks to be trusted.
        case pending
        /// Trusted, and soon usable.
        case qualified
        /// Trusted.
        case usable
        /// Trusted, and takes no more certificates.
        case readOnly
        /// No longer trusted. What it signed before counts in certificates.
        case retired(since: Int64)
        /// Never trusted.
        case rejected
        /// The list gives no state, or one that this version does not know.
        case unknown

        /// Whether the log is trusted at present.
        public var isCurrent: Bool {
            switch self {
            case .qualified, .usable, .readOnly: true
            case .pending, .retired, .rejected, .unknown: false
            }
        }
    }

    /// Who operated the log until a time, in seconds since 1970.
    public struct FormerOperator: Sendable, Hashable {
        /// The operator's name.
        public let name: String
        /// The end of that time.
        public let until: Int64

        /// Creates an entry.
        public init(name: String, until: Int64) {
            self.name = name
            self.until = until
        }
    }

    /// The log's name, for people.
    public let description: String
    /// The operator's name.
    public let operatorName: String
    /// Earlier operators.
    public let formerOperators: [FormerOperator]
    /// The SHA-256 of `key`, by which timestamps name the log.
    public let id: [UInt8]
    /// The log's public key, a DER SubjectPublicKeyInfo.
    public let key: [UInt8]
    /// How far it is trusted.
    public let state: State
    /// The ends of validity (`notAfter`) of the certificates that it takes, in seconds since 1970; nil for all.
    public let temporalInterval: Range<Int64>?
    /// Whether it is a tiled log (static-ct-api), whose timestamps say where their entry is.
    public let isTiled: Bool
    let verificationKey: VerificationKey

    /// Creates a log from its parts; nil for a key that is neither P-256 nor RSA of 2048 to 8192 bits.
    public init?(
        description: String, operatorName: String, formerOperators: [FormerOperator] = [], key: [UInt8],
        state: State = .usable, temporalInterval: Range<Int64>? = nil, isTiled: Bool = false
    ) {
        guard let verificationKey = VerificationKey(subjectPublicKeyInfo: key) else { return nil }
        self.description = description
        self.operatorName = operatorName
        self.formerOperators = formerOperators
        self.id = X509Certificate.PublicKey(subjectPublicKeyInfo: key).sha256
        self.key = key
        self.state = state
        self.temporalInterval = temporalInterval
        self.isTiled = isTiled
        self.verificationKey = verificationKey
    }

    /// Who operated the log at a time, in seconds since 1970.
    public func operatorName(at time: Int64) -> String {
        formerOperators.filter { time < $0.until }.min { $0.until < $1.until }?.name ?? operatorName
    }
}

extension TransparencyLog: Hashable {
    public static func == (left: TransparencyLog, right: TransparencyLog) -> Bool { left.parts == right.parts }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Everything, as text.
    var parts: [String] {
        [
            description, operatorName, Base64.encode(key), "\(state)", temporalInterval.map { "\($0)" } ?? "always",
            "\(isTiled)",
        ]
            + formerOperators.flatMap { [$0.name, "\($0.until)"] }
    }
}
