// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import Foundation
internal import Tern
internal import TernTesting

/// The rate at which policies evaluate a server, without a network: root, intermediate and leaf with P-256 keys, all
/// accepted.
struct PolicyRates {
    struct Row: Encodable {
        let policy: String
        let evaluationsPerSecond: Double?
        let microseconds: Double?
    }

    private let trust: ServerTrust
    private let policies: [(name: String, policy: ServerTrustPolicy)]

    init() throws {
        let root = try CertificateAuthority()
        let intermediate = try root.issueIntermediate()
        let identity = try intermediate.issue(.localhost)
        let rootCertificate = try X509Certificate(pem: root.certificatePEM)
        var trust = ServerTrust(
            sentChain: try X509Certificate.all(inPEM: identity.chainPEM), anchors: .only([rootCertificate]))
        trust.revocation.stapledResponse = OCSPResponse(
            der: try intermediate.ocspResponse(about: identity, .good))
        self.trust = trust
        let key = try X509Certificate.PublicKey(pin: identity.pin)
        let keys = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [key], validateCertificateChain: true, validateHost: true)
        let set = ServerTrustPolicy.pinSet(
            PinSet(pins: [key], backupPins: [try X509Certificate.PublicKey(pin: root.pin)]))
        policies = [
            (Self.defaultName, .performDefaultEvaluation(validateHost: true)),
            (
                "pinCertificates",
                .pinCertificates(certificates: [rootCertificate], validateCertificateChain: true, validateHost: true)
            ),
            ("pinPublicKeys", keys),
            (Self.pinSetName, set),
            (
                "performRevokedEvaluation, stapled",
                .performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp, .networkAccessDisabled])
            ),
            (
                "composite of default and pinPublicKeys",
                .composite([.performDefaultEvaluation(validateHost: true), keys])
            ),
            ("disableEvaluation", .disableEvaluation),
        ]
    }

    static let defaultName = "performDefaultEvaluation"
    static let pinSetName = "pinSet"

    /// Medians of interleaved rounds.
    func measure(rounds: Int, seconds: Double) throws -> [Row] {
        var figures: [String: [Double]] = [:]
        for _ in 0..<max(1, rounds) {
            for (name, policy) in policies {
                figures[name, default: []].append(try microseconds(policy, for: seconds))
            }
        }
        return policies.map { name, _ in
            let median = figures[name]?.median
            return Row(policy: name, evaluationsPerSecond: median.map { 1e6 / $0 }, microseconds: median)
        }
    }

    /// CPU time per evaluation.
    private func microseconds(_ policy: ServerTrustPolicy, for seconds: Double) throws -> Double {
        let deadline = monotonic_nanoseconds() + UInt64(seconds * 1e9)
        let before = ResourceUsage.own
        var count = 0.0
        repeat {
            for _ in 0..<100 where !policy.evaluate(trust, host: "localhost").isAccepted {
                throw PeerUnavailable(reason: "\(policy) refuses a good server")
            }
            count += 100
        } while monotonic_nanoseconds() < deadline
        return before.microseconds(to: .own) / count
    }
}
