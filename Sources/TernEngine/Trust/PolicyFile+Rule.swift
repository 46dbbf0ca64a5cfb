// SPDX-License-Identifier: Apache-2.0
public import TernTLS

extension PolicyFile {
    /// What a policy demands of the servers of some hosts.
    public struct Rule: Sendable, Hashable {
        /// The effect of a server that does not comply.
        public enum Mode: String, Sendable, Hashable, CaseIterable {
            /// It is refused.
            case enforce
            /// It is accepted if the default evaluation accepts it, and ``TernTLS/ServerTrustResult/rehearsals`` says why
            /// it would be refused. Report URLs are told.
            case reportOnly
        }

        /// The hosts that the rule is for.
        public var hosts: [HostPattern]
        /// Hosts that match `hosts`, and that the rule is not for.
        public var excludedHosts: [HostPattern] = []
        /// The effect of a server that does not comply.
        public var mode = Mode.enforce
        /// The pins, without hosts of their own; nil pins nothing.
        public var pinSet: PinSet?
        /// The rules of Certificate Transparency; nil asks for no timestamps.
        public var transparency: TransparencyPolicy?
        /// How revocation is checked; nil checks none.
        public var revocation: RevocationFlags?
        /// The workloads that may answer; nil for servers that are known by their host.
        public var workloads: SPIFFEPolicy?
        /// The anchors and all that is demanded of chains and connections.
        public var rules = TrustRules()

        /// Demands nothing but what the default evaluation does: it takes hosts out of a wider pattern.
        public init(hosts: [HostPattern]) { self.hosts = hosts }

        /// The rule that pins the hosts of a set.
        public init(_ pinSet: PinSet) {
            (hosts, excludedHosts) = (pinSet.hosts, pinSet.excludedHosts)
            var pins = pinSet
            (pins.hosts, pins.excludedHosts) = ([], [])
            self.pinSet = pins
        }

        /// The rule as a policy: chain and host are validated, and each part must accept.
        public var policy: ServerTrustPolicy {
            var parts: [ServerTrustPolicy] = []
            if let revocation {
                parts.append(.performRevokedEvaluation(validateHost: true, revocationFlags: revocation))
            }
            if let pinSet = pinSetOfHosts { parts.append(.pinSet(pinSet)) }
            if let transparency { parts.append(.certificateTransparency(transparency)) }
            if let workloads { parts.append(.spiffe(workloads)) }
            if parts.isEmpty { parts = [.performDefaultEvaluation(validateHost: true)] }
            var policy = parts.count == 1 ? parts[0] : .composite(parts)
            if rules != TrustRules() { policy = .applying(rules, to: policy) }
            return mode == .enforce ? policy : .reportOnly(policy)
        }

        /// The pins with the hosts of the rule, for reports.
        var pinSetOfHosts: PinSet? {
            guard var set = pinSet else { return nil }
            (set.hosts, set.excludedHosts) = (hosts, excludedHosts)
            return set
        }
    }
}

extension PolicyFile.Rule {
    /// The members of a rule.
    static let fields: [PolicyField<Self>] = [hostsField, excludedHostsField] + fieldsOfDemands

    /// The members of an element of `pinSets`, in the first version of the format.
    static let fieldsOfVersion1: [PolicyField<Self>] = [hostsField] + fieldsOfPinSet

    /// Those without hosts.
    static let fieldsOfPinSet: [PolicyField<Self>] =
        [excludedHostsField, pinsField(isRequired: true)] + pinFields + [
            PolicyField("mode", .word(PinSet.Mode.self), "") { rule, value throws(PolicyFileError) in
                rule.pins.mode = try value.word()
            }
        ]

    /// Those of a rule for all other hosts.
    static let fieldsOfDemands: [PolicyField<Self>] =
        [
            PolicyField(
                "mode", .word(Mode.self),
                "`reportOnly` refuses only what the default evaluation refuses, and tells the rest; `enforce` unless given."
            ) { rule, value throws(PolicyFileError) in
                rule.mode = try value.word()
            },
            pinsField(isRequired: false),
        ] + pinFields + [
            PolicyField(
                "anchors", .list(.object(AnchorEntry.fields)),
                "The certificates that chains must end in, in place of the session's."
            ) { rule, value throws(PolicyFileError) in
                let entries = try value.elements { element throws(PolicyFileError) in
                    var entry = AnchorEntry()
                    try JSONFields(element).read(into: &entry, by: AnchorEntry.fields)
                    return entry
                }
                guard !entries.isEmpty else { throw value.error(.empty) }
                rule.rules.anchors = .only(entries.flatMap(\.certificates))
                for entry in entries where entry.conditions != AnchorConditions() {
                    for certificate in entry.certificates {
                        rule.rules.anchorConditions[certificate] = entry.conditions
                    }
                }
            },
            PolicyField(
                "systemAnchors", .boolean, "Whether the system's anchors count beside `anchors`; false unless given."
            ) { rule, value throws(PolicyFileError) in
                guard case .only(let certificates)? = rule.rules.anchors?.source else {
                    throw value.error(.needs("anchors"))
                }
                if try value.boolean() { rule.rules.anchors = .systemAnd(certificates) }
            },
            PolicyField(
                "distrustedKeys", .list(.pin), "Keys that no certificate of the chain may have."
            ) { rule, value throws(PolicyFileError) in
                rule.distrust(try value.publicKeys().map { .publicKey($0) })
            },
            PolicyField(
                "distrustedSerials", .list(.object(SerialEntry.fields)), "Certificates that no chain may have."
            ) { rule, value throws(PolicyFileError) in
                rule.distrust(
                    try value.elements { element throws(PolicyFileError) in
                        var entry = SerialEntry()
                        try JSONFields(element).read(into: &entry, by: SerialEntry.fields)
                        return .serialNumberUnderKey(entry.serial, entry.issuer)
                    })
            },
            PolicyField(
                "certificateTransparency", .word(TransparencyPolicy.Rules.self),
                "Whose rules of Certificate Transparency count; the session has the list of logs."
            ) { rule, value throws(PolicyFileError) in
                rule.transparency = TransparencyPolicy(rules: try value.word())
            },
            PolicyField(
                "requiresFreshLogs", .boolean,
                "Whether servers are refused while the list of logs is outdated; false unless given."
            ) { rule, value throws(PolicyFileError) in
                guard rule.transparency != nil else { throw value.error(.needs("certificateTransparency")) }
                rule.transparency?.requiresFreshList = try value.boolean()
            },
            PolicyField(
                "revocation", .object(RevocationEntry.fields),
                "How revocation is checked; `{}` asks by every method and accepts what is unknown."
            ) { rule, value throws(PolicyFileError) in
                var entry = RevocationEntry()
                try JSONFields(value).read(into: &entry, by: RevocationEntry.fields)
                rule.revocation = entry.flags
            },
            PolicyField(
                "spiffe", .object(WorkloadEntry.fields),
                "The workloads that may answer (SPIFFE), whatever the host, and whose anchors are those of their trust domain."
            ) { rule, value throws(PolicyFileError) in
                let others = [
                    ("pins", rule.pinSet != nil), ("anchors", rule.rules.anchors != nil),
                    ("certificateTransparency", rule.transparency != nil), ("revocation", rule.revocation != nil),
                ]
                if let (name, _) = others.first(where: \.1) { throw value.error(.excludes(name)) }
                var policy = SPIFFEPolicy(allowed: [])
                try JSONFields(value).read(into: &policy, by: WorkloadEntry.fields)
                guard !policy.allowed.isEmpty else { throw value.error(.empty) }
                rule.workloads = policy
            },
            PolicyField(
                "mustStaple", .boolean,
                "Whether a certificate that requires a stapled OCSP response is refused without one."
            ) { rule, value throws(PolicyFileError) in
                rule.rules.enforcesMustStaple = try value.boolean()
            },
            PolicyField("fetchIssuers", .boolean, "Whether intermediates that a server does not send are fetched.") {
                rule, value throws(PolicyFileError) in
                rule.rules.fetchesMissingIssuers = try value.boolean()
            },
            PolicyField("minTLSVersion", .word(VersionWord.self), "The minimum version of TLS.") {
                rule, value throws(PolicyFileError) in
                let word: VersionWord = try value.word()
                rule.rules.minimumVersion = word.version
            },
            PolicyField("profile", .word(TrustProfile.self), "The rules for certificates.") {
                rule, value throws(PolicyFileError) in
                rule.rules.profile = try value.word()
            },
            PolicyField(
                "maxPathDepth", .number(0...10),
                "The maximum number of certificates between the server's own and its anchor."
            ) { rule, value throws(PolicyFileError) in
                rule.rules.maximumPathDepth = try value.number(in: 0...10)
            },
            PolicyField(
                "minKeyStrength", .number(112...256),
                "The minimum strength of each key in bits of security: 112 is RSA 2048, 128 RSA 3072 and P-256."
            ) { rule, value throws(PolicyFileError) in
                rule.rules.minimumKeyStrength = try value.number(in: 112...256)
            },
            PolicyField(
                "minSignatureStrength", .number(112...256),
                "The minimum strength of each signature below the anchor in bits of security: 128 is SHA-256."
            ) { rule, value throws(PolicyFileError) in
                rule.rules.minimumSignatureStrength = try value.number(in: 112...256)
            },
        ]

    private static let hostsField = PolicyField<Self>(
        "hosts", .list(.host),
        "The hosts: names, addresses, `*.example.com` for one label more, `**.example.com` for the domain and all below it.",
        isRequired: true
    ) { rule, value throws(PolicyFileError) in
        rule.hosts = try value.hostPatterns()
        guard !rule.hosts.isEmpty else { throw value.error(.empty) }
    }

    private static let excludedHostsField = PolicyField<Self>(
        "excludedHosts", .list(.host), "Hosts that match `hosts`, and that the rule is not for."
    ) { rule, value throws(PolicyFileError) in
        rule.excludedHosts = try value.hostPatterns()
    }

    private static func pinsField(isRequired: Bool) -> PolicyField<Self> {
        PolicyField(
            "pins", .list(.pin), "The keys of which the verified chain must have one.", isRequired: isRequired
        ) { rule, value throws(PolicyFileError) in
            rule.pins.pins = try value.publicKeys()
            guard !rule.pins.pins.isEmpty else { throw value.error(.empty) }
        }
    }

    /// What belongs to pins.
    private static let pinFields: [PolicyField<Self>] = [
        PolicyField("backupPins", .list(.pin), "Keys kept offline for the case that those in use are lost.") {
            rule, value throws(PolicyFileError) in
            try rule.requirePins(value)
            rule.pins.backupPins = try value.publicKeys()
        },
        PolicyField(
            "scope", .word(PinSet.Scope.self), "Which certificates a pin may match; `anyCertificate` unless given."
        ) { rule, value throws(PolicyFileError) in
            try rule.requirePins(value)
            rule.pins.scope = try value.word()
        },
        PolicyField("expires", .time, "When the pins cease to count: a date in UTC, or an RFC 3339 time.") {
            rule, value throws(PolicyFileError) in
            try rule.requirePins(value)
            rule.pins.expires = try value.time()
        },
        PolicyField("reportURLs", .list(.url), "Where servers without one of the pins are reported to.") {
            rule, value throws(PolicyFileError) in
            try rule.requirePins(value)
            rule.pins.reportURLs = try value.webURLs()
        },
    ]

    private var pins: PinSet {
        get { pinSet ?? PinSet(pins: []) }
        set { pinSet = newValue }
    }

    private mutating func distrust(_ entries: [DistrustedCertificates.Entry]) {
        rules.distrusted = rules.distrusted.union(DistrustedCertificates(entries))
    }

    private func requirePins(_ value: JSONElement) throws(PolicyFileError) {
        if pinSet == nil { throw value.error(.needs("pins")) }
    }
}

/// An anchor, and for what it counts.
private struct AnchorEntry {
    var certificates: [X509Certificate] = []
    var conditions = AnchorConditions()

    static let fields: [PolicyField<Self>] = [
        PolicyField("certificate", .certificate, "The certificate, or several, in PEM.", isRequired: true) {
            entry, value throws(PolicyFileError) in
            entry.certificates = try value.pemCertificates()
        },
        PolicyField("hosts", .list(.host), "The names that a server's certificate may have.") {
            entry, value throws(PolicyFileError) in
            entry.conditions.hosts = try value.hostPatterns()
        },
        PolicyField(
            "networks", .list(.network), "The addresses that a server's certificate may have, such as `10.0.0.0/8`."
        ) { entry, value throws(PolicyFileError) in
            entry.conditions.networks = try value.networks()
        },
        PolicyField("notAfter", .time, "The time after which the anchor does not count.") {
            entry, value throws(PolicyFileError) in
            entry.conditions.notAfter = try value.time()
        },
        PolicyField("issuedUntil", .time, "The time after which a server's certificate must not have been issued.") {
            entry, value throws(PolicyFileError) in
            entry.conditions.issuedUntil = try value.time()
        },
    ]
}

/// A certificate, by its issuer's key and its number.
private struct SerialEntry {
    var issuer = X509Certificate.PublicKey(subjectPublicKeyInfo: [])
    var serial: [UInt8] = []

    static let fields: [PolicyField<Self>] = [
        PolicyField("issuerKey", .pin, "The key of its issuer.", isRequired: true) {
            entry, value throws(PolicyFileError) in entry.issuer = try value.publicKey()
        },
        PolicyField(
            "serial", .text(describedBy: ["pattern": #""^[0-9A-Fa-f:]{1,59}$""#]),
            "Its serial number in hexadecimal digits, as `openssl x509 -serial` prints it.", isRequired: true
        ) { entry, value throws(PolicyFileError) in entry.serial = try value.serialNumber() },
    ]
}

/// The workloads that may answer.
private enum WorkloadEntry {
    static let fields: [PolicyField<SPIFFEPolicy>] = [
        PolicyField("ids", .list(.spiffeID), "Their names.") { policy, value throws(PolicyFileError) in
            policy.allowed += try value.spiffeIDs().map { .id($0) }
        },
        PolicyField(
            "within", .list(.spiffeID), "Names with whose path those of workloads may begin, in whole segments."
        ) {
            policy, value throws(PolicyFileError) in policy.allowed += try value.spiffeIDs().map { .within($0) }
        },
        PolicyField("trustDomains", .list(.text(describedBy: [:])), "Trust domains, all of whose workloads may answer.")
        {
            policy, value throws(PolicyFileError) in
            policy.allowed += try value.elements { element throws(PolicyFileError) in
                .trustDomain(try element.trustDomain())
            }
        },
        PolicyField(
            "bundles", .list(.object(BundleEntry.fields)),
            "The authorities of trust domains, in place of the session's."
        ) { policy, value throws(PolicyFileError) in
            for element in try value.elements() {
                var entry = BundleEntry()
                try JSONFields(element).read(into: &entry, by: BundleEntry.fields)
                if let domain = entry.domain { policy.bundles[domain] = SPIFFEBundle(authorities: entry.authorities) }
            }
        },
    ]
}

/// The authorities of a trust domain.
private struct BundleEntry {
    var domain: SPIFFEID.TrustDomain?
    var authorities: [X509Certificate] = []

    static let fields: [PolicyField<Self>] = [
        PolicyField(
            "trustDomain", .text(describedBy: [:]), "The trust domain, such as `example.org`.", isRequired: true
        ) {
            entry, value throws(PolicyFileError) in entry.domain = try value.trustDomain()
        },
        PolicyField("certificates", .certificate, "Its authorities in PEM.", isRequired: true) {
            entry, value throws(PolicyFileError) in entry.authorities = try value.pemCertificates()
        },
    ]
}

/// How revocation is checked.
private struct RevocationEntry {
    enum Method: String, CaseIterable { case ocsp, crl }
    enum Unknown: String, CaseIterable { case accept, refuse }

    var methods: RevocationFlags = .useAnyAvailableMethod
    var unknown = Unknown.accept
    var usesNetwork = true

    var flags: RevocationFlags {
        var flags = methods
        if unknown == .refuse { flags.insert(.requirePositiveResponse) }
        if !usesNetwork { flags.insert(.networkAccessDisabled) }
        return flags
    }

    static let fields: [PolicyField<Self>] = [
        PolicyField("methods", .list(.word(Method.self)), "`ocsp`, `crl`; both unless given.") {
            entry, value throws(PolicyFileError) in
            let methods = try value.elements { element throws(PolicyFileError) -> Method in try element.word() }
            guard !methods.isEmpty else { throw value.error(.empty) }
            entry.methods = methods.reduce(into: []) { $0.insert($1 == .ocsp ? .ocsp : .crl) }
        },
        PolicyField(
            "unknown", .word(Unknown.self),
            "What becomes of a server of unknown status: `refuse`, or `accept`, unless given."
        ) { entry, value throws(PolicyFileError) in
            entry.unknown = try value.word()
        },
        PolicyField(
            "network", .boolean,
            "Whether responders and lists may be asked; true unless given. A staple and the session's lists always count."
        ) { entry, value throws(PolicyFileError) in
            entry.usesNetwork = try value.boolean()
        },
    ]
}

private enum VersionWord: String, CaseIterable {
    case tls12 = "1.2"
    case tls13 = "1.3"

    var version: TLSProtocolVersion { self == .tls13 ? .v1_3 : .v1_2 }
}
