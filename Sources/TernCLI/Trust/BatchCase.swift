// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine
import TernTLS

/// One line of a batch: `{"id", "host", "chain": [PEM, leaf first], "anchors": [PEM], "at": RFC 3339, "policy": {…}}`.
///
/// Without a host no name is checked; without anchors the system's are used; without a time it is now; and without a
/// policy it is the default evaluation. Other members are ignored: they may be notes about the case.
struct BatchCase {
    let host: String?
    let trust: ServerTrust
    private let isBetweenSeconds: Bool
    let rule: TrustRule

    init(_ fields: JSONFields, cache: inout CertificateCache) throws(Malformed) {
        var fields = fields
        do throws(PolicyFileError) {
            host = try fields.take("host")?.string()
            let moment = try fields.take("at").map { element throws(PolicyFileError) in try Self.moment(element) }
            isBetweenSeconds = moment?.hasFraction ?? false
            let policy = try fields.take("policy").map { element throws(PolicyFileError) in try Self.rule(element) }
            rule = policy?.rule ?? .policy(.performDefaultEvaluation(validateHost: true))
            let chain = try cache.certificates(try fields.require("chain"))
            let anchors = try fields.take("anchors").map { element throws(PolicyFileError) in
                try cache.anchors(element)
            }
            trust = ServerTrust(
                sentChain: chain, anchors: anchors ?? .system, time: moment?.seconds,
                profile: policy?.profile ?? .standard)
        } catch {
            throw Malformed(error)
        }
    }

    func evaluate() -> ServerTrustResult { rule.evaluate(trust, host: host, isBetweenSeconds: isBetweenSeconds) }

    private static func moment(
        _ element: JSONElement
    ) throws(PolicyFileError) -> (seconds: Int64, hasFraction: Bool) {
        let text = try element.string()
        guard let moment = Timestamp.moment(rfc3339: text) else { throw element.error(.invalidTime(text)) }
        return moment
    }

    /// A policy file, which has pin sets, or a single rule; either may name the profile for its chains.
    private static func rule(
        _ element: JSONElement
    ) throws(PolicyFileError) -> (rule: TrustRule, profile: TrustProfile?) {
        var fields = try JSONFields(element)
        if fields.contains("pinSets") { return (.manager(try PolicyFile(fields: fields).manager()), nil) }
        let profile: TrustProfile? = try fields.take("profile")?.word()
        return (.policy(try ServerTrustPolicy(fields: fields)), profile)
    }
}
