// SPDX-License-Identifier: Apache-2.0
import TernTesting

@testable import TernTLS

/// An authority, three logs of two operators, and certificates with their timestamps.
struct TransparencyScene {
    let root: CertificateAuthority
    let issuer: CertificateAuthority
    /// `logs[0]` and `logs[1]` are One's, `logs[2]` is Two's.
    let logs: [TransparencyTestLog]
    let now = Timestamp.now

    init() throws {
        root = try CertificateAuthority()
        issuer = try root.issueIntermediate()
        logs = [
            try TransparencyTestLog("a", operatorName: "One"), try TransparencyTestLog("b", operatorName: "One"),
            try TransparencyTestLog("c", operatorName: "Two", key: .rsa(bits: 2048)),
        ]
    }

    /// Valid for 90 days.
    static let short = LeafRequest(dnsNames: ["localhost"], validity: .days(-1, to: 89))

    /// A certificate with these timestamps, an hour old.
    func leaf(
        _ logs: [TransparencyTestLog], _ request: LeafRequest = short, at time: Int64? = nil
    ) throws -> Identity {
        try issuer.issue(request) { entry throws(CertificateAuthorityError) in
            var timestamps: [[UInt8]] = []
            for log in logs { timestamps.append(try log.timestamp(of: entry, at: time ?? now - 3600)) }
            return TransparencyTestLog.list(timestamps)
        }
    }

    /// The serialised timestamps for a certificate without any in it.
    func timestamps(_ logs: [TransparencyTestLog], for leaf: Identity) throws -> [[UInt8]] {
        let der = try leaf.certificate().der
        return try logs.map { try $0.timestamp(of: .certificate(der), at: now - 3600) }
    }

    /// The logs in a list, which changes what it is given of them.
    func list(
        of logs: [TransparencyTestLog]? = nil, time: Int64? = nil, states: [Int: TransparencyLog.State] = [:],
        interval: Range<Int64>? = nil, former: [TransparencyLog.FormerOperator] = [], tiled: Set<Int> = []
    ) -> TransparencyLogList {
        let entries = (logs ?? self.logs).enumerated().compactMap { index, log in
            TransparencyLog(
                description: log.name, operatorName: log.operatorName, formerOperators: former, key: log.publicKey,
                state: states[index] ?? .usable, temporalInterval: interval, isTiled: tiled.contains(index))
        }
        return TransparencyLogList(logs: entries, time: time ?? now - 86400)
    }

    func trust(_ leaf: Identity) throws -> ServerTrust {
        try ServerTrust(leaf, anchors: [root.certificate()], time: now)
    }

    func judge(
        _ leaf: Identity, _ policy: TransparencyPolicy? = nil, change: (inout ServerTrust) throws -> Void = { _ in }
    ) throws -> ServerTrustResult {
        var trust = try trust(leaf)
        try change(&trust)
        return ServerTrustPolicy.certificateTransparency(policy ?? .chrome(list()))
            .evaluate(trust, host: "localhost")
    }
}

extension ServerTrustResult {
    /// Whether each timestamp counts, or why not.
    var statuses: [TransparencyFinding.Status] { transparency?.findings.map(\.status) ?? [] }
}
