// SPDX-License-Identifier: Apache-2.0
// 1. Read the timestamps of the three sources. 2. Leave out those that cannot count, whatever their signatures. 3. Verify
// the rest, each log once for the certificate and once for what the server delivers. 4. Count logs and operators.

/// Checks the certificate of a verified chain by the timestamps of logs. Pure: no file, clock or network.
struct TransparencyCheck {
    let policy: TransparencyPolicy
    /// The verified chain, leaf first; not empty.
    let chain: [X509Certificate]
    let leaf: X509Certificate
    let time: Int64
    private let presented: [Presented]

    private struct Presented {
        let source: TransparencyFinding.Source
        /// Nil for one that cannot be read.
        let bytes: ArraySlice<UInt8>?
    }

    /// The tolerance for differing clocks, as for OCSP.
    private static let skew: Int64 = 300
    private static let longLifetime: Int64 = 180 * 86400
    private static let requiredOperators = 2

    /// Nil for an empty chain.
    ///
    /// - Parameters:
    ///   - handshake: the timestamps of the handshake, each serialised.
    ///   - staple: the stapled response.
    init?(
        policy: TransparencyPolicy, chain: [X509Certificate], handshake: [[UInt8]], staple: OCSPResponse?, time: Int64
    ) {
        guard let leaf = chain.first else { return nil }
        self.policy = policy
        self.chain = chain
        self.leaf = leaf
        self.time = time
        var presented: [Presented] = []
        if let list = leaf.x509.timestampList { presented += Self.presented(list, .certificate) }
        presented += handshake.map { Presented(source: .handshake, bytes: $0[...]) }
        for list in staple?.timestampLists ?? [] { presented += Self.presented(list, .staple) }
        self.presented = Array(presented.prefix(TransparencyVerdict.maximumTimestamps))
    }

    private static func presented(_ list: [UInt8], _ source: TransparencyFinding.Source) -> [Presented] {
        guard let timestamps = SignedCertificateTimestamp.list(list) else {
            return [Presented(source: source, bytes: nil)]
        }
        return timestamps.map { Presented(source: source, bytes: $0) }
    }

    /// In units of `EvaluationBudget`: encoding the certificate, and a signature for each timestamp.
    var cost: Int { 40 + presented.count * 85 }

    func verdict() -> TransparencyVerdict {
        let findings = findings()
        if policy.logs == nil {
            return TransparencyVerdict(
                shortfall: .noList, isListOutdated: false, findings: findings, policy: policy.description, end: nil)
        }
        let isOutdated = policy.isListOutdated(at: time)
        let shortfall: TransparencyShortfall? =
            isOutdated ? policy.requiresFreshList ? .outdatedList : nil : shortfall(of: findings)
        return TransparencyVerdict(
            shortfall: shortfall, isListOutdated: isOutdated, findings: findings, policy: policy.description,
            end: isOutdated ? nil : policy.endOfList)
    }
}

// Timestamps
extension TransparencyCheck {
    private func findings() -> [TransparencyFinding] {
        var findings: [TransparencyFinding] = []
        var entries = Entries(leaf: leaf, issuer: chain.dropFirst().first)
        // The logs that have a timestamp that counts, in the certificate and beside it.
        var counted: [Bool: Set<[UInt8]>] = [:]
        for presented in presented {
            let finding = finding(presented, &entries, counted[presented.source == .certificate] ?? [])
            if finding.isValid { counted[presented.source == .certificate, default: []].insert(finding.logID) }
            findings.append(finding)
        }
        return findings
    }

    private func finding(
        _ presented: Presented, _ entries: inout Entries, _ counted: Set<[UInt8]>
    ) -> TransparencyFinding {
        let source = presented.source
        let timestamp: SignedCertificateTimestamp
        do throws(SignedCertificateTimestamp.Failure) {
            guard let bytes = presented.bytes else { throw .malformed }
            timestamp = try SignedCertificateTimestamp(bytes)
        } catch {
            switch error {
            case .malformed: return TransparencyFinding(source, .malformed)
            case .unknownVersion(let version): return TransparencyFinding(source, .unknownVersion(version))
            }
        }
        guard let log = policy.logs?.log(id: timestamp.logID) else {
            return TransparencyFinding(source, .unknownLog, timestamp: timestamp)
        }
        let status =
            objection(to: timestamp, of: log, source)
            ?? (counted.contains(log.id)
                ? .repeatedLog : verified(timestamp, by: log, entries.entry(for: source)))
        return TransparencyFinding(source, status, timestamp: timestamp, log: log)
    }

    /// Why a timestamp does not count even if the log has signed it.
    private func objection(
        to timestamp: SignedCertificateTimestamp, of log: TransparencyLog, _ source: TransparencyFinding.Source
    ) -> TransparencyFinding.Status? {
        if !log.state.isCurrent {
            // A server could ask for new ones; a certificate cannot.
            guard case .retired(let since) = log.state, source == .certificate, timestamp.seconds < since else {
                return .untrustedLog(log.state)
            }
        }
        if log.isTiled, !timestamp.hasLeafIndex { return .noLeafIndex }
        if timestamp.seconds - Self.skew > time { return .future }
        if let interval = log.temporalInterval {
            guard let end = leaf.notAfter, interval.contains(end) else { return .outsideInterval }
        }
        return nil
    }

    private func verified(
        _ timestamp: SignedCertificateTimestamp, by log: TransparencyLog, _ entry: LogEntry?
    ) -> TransparencyFinding.Status {
        guard let entry else { return .noIssuer }
        let sha256: UInt8 = 4
        guard timestamp.hash == sha256, timestamp.algorithm == log.verificationKey.algorithm.rawValue,
            let signed = timestamp.signedBytes(for: entry),
            log.verificationKey.verifies(timestamp.signature, of: signed)
        else { return .invalidSignature }
        return .valid
    }

    /// What logs have signed, encoded once.
    private struct Entries {
        let leaf: X509Certificate
        let issuer: X509Certificate?
        private var certificate: LogEntry?
        private var precertificate: LogEntry??

        init(leaf: X509Certificate, issuer: X509Certificate?) {
            self.leaf = leaf
            self.issuer = issuer
        }

        /// Nil if it cannot be made.
        mutating func entry(for source: TransparencyFinding.Source) -> LogEntry? {
            if source == .certificate {
                if let precertificate { return precertificate }
                let made = issuer.flatMap { issuer in
                    leaf.x509.signedPartWithoutTimestamps.map {
                        LogEntry.precertificate(issuerKeyHash: issuer.publicKey.sha256, tbs: $0)
                    }
                }
                precertificate = .some(made)
                return made
            }
            let made = certificate ?? .certificate(leaf.der)
            certificate = made
            return made
        }
    }
}

// Counting
extension TransparencyCheck {
    private func shortfall(of findings: [TransparencyFinding]) -> TransparencyShortfall? {
        if findings.isEmpty { return .noTimestamps }
        let embedded = findings.filter { $0.source == .certificate }
        let delivered = findings.filter { $0.source != .certificate }
        guard let first = shortfall(ofValid: embedded.filter(\.isValid), required: requiredLogs) else { return nil }
        guard let second = shortfall(ofValid: delivered.filter(\.isValid), required: 2) else { return nil }
        if policy.rules == .apple, delivered.contains(where: \.isValid), shortfall(ofCurrent: findings) == nil {
            return nil
        }
        return embedded.isEmpty ? second : first
    }

    /// Of the timestamps in the certificate and beside it together.
    private func shortfall(ofCurrent findings: [TransparencyFinding]) -> TransparencyShortfall? {
        var logs: Set<[UInt8]> = []
        return shortfall(
            ofValid: findings.filter { finding in
                finding.isValid && finding.log?.state.isCurrent == true && logs.insert(finding.logID).inserted
            }, required: 2)
    }

    private var requiredLogs: Int {
        guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else { return 3 }
        let lastSecond: Int64 = policy.rules == .apple ? 1 : 0
        return notAfter - notBefore + lastSecond <= Self.longLifetime ? 2 : 3
    }

    private func shortfall(ofValid findings: [TransparencyFinding], required: Int) -> TransparencyShortfall? {
        if findings.count < required { return .tooFewLogs(found: findings.count, required: required) }
        if !findings.contains(where: { $0.log?.state.isCurrent == true }) { return .noCurrentLog }
        if policy.rules == .apple, !findings.contains(where: { $0.log?.isTiled == false }) { return .onlyTiledLogs }
        let operators = Set(findings.compactMap(\.operatorName)).count
        if operators < Self.requiredOperators {
            return .tooFewOperators(found: operators, required: Self.requiredOperators)
        }
        return nil
    }
}
