// SPDX-License-Identifier: Apache-2.0
package import TernTLS

/// The evaluations that a rule can name: Alamofire 4's cases, and pin sets.
private enum Evaluation: String, CaseIterable {
    case performDefaultEvaluation
    case performRevokedEvaluation
    case pinCertificates
    case pinPublicKeys
    case pinSet
    case composite
    case disableEvaluation
}

extension ServerTrustPolicy {
    /// Reads one rule, without hosts: `{"evaluation": "pinPublicKeys", "pins": […], "validateCertificateChain": true,
    /// "validateHost": true}`. The evaluation may be omitted if the fields imply it: `pins` make a pin set,
    /// `certificates` pin certificates, and an empty rule is the default evaluation.
    package init(_ element: JSONElement) throws(PolicyFileError) {
        try self.init(fields: try JSONFields(element))
    }

    package init(fields: JSONFields) throws(PolicyFileError) {
        var fields = fields
        let evaluation: Evaluation? = try fields.take("evaluation")?.word()
        switch evaluation ?? Self.evaluation(shownBy: fields) {
        case .performDefaultEvaluation:
            self = .performDefaultEvaluation(validateHost: try fields.flag("validateHost"))
        case .performRevokedEvaluation:
            self = .performRevokedEvaluation(
                validateHost: try fields.flag("validateHost"),
                revocationFlags: try fields.take("revocationFlags")?.revocationFlags() ?? .useAnyAvailableMethod)
        case .pinCertificates:
            self = .pinCertificates(
                certificates: try fields.require("certificates").certificates(),
                validateCertificateChain: try fields.flag("validateCertificateChain"),
                validateHost: try fields.flag("validateHost"))
        case .pinPublicKeys:
            self = .pinPublicKeys(
                publicKeys: try fields.require("pins").publicKeys(),
                validateCertificateChain: try fields.flag("validateCertificateChain"),
                validateHost: try fields.flag("validateHost"))
        case .pinSet:
            var rule = PolicyFile.Rule(hosts: [])
            try fields.read(into: &rule, by: PolicyFile.Rule.fieldsOfPinSet)
            self = .pinSet(rule.pinSetOfHosts ?? PinSet(pins: []))
            return
        case .composite:
            self = .composite(
                try fields.require("policies").elements { element throws(PolicyFileError) in
                    try ServerTrustPolicy(element)
                })
        case .disableEvaluation: self = .disableEvaluation
        }
        try fields.finish()
    }

    private static func evaluation(shownBy fields: JSONFields) -> Evaluation {
        if fields.contains("pins") {
            fields.contains("validateCertificateChain") || fields.contains("validateHost") ? .pinPublicKeys : .pinSet
        } else {
            fields.contains("certificates") ? .pinCertificates : .performDefaultEvaluation
        }
    }
}

/// The words for `RevocationFlags`.
private enum RevocationFlag: String, CaseIterable {
    case ocsp, crl, preferCRL, requirePositiveResponse, networkAccessDisabled

    var flag: RevocationFlags {
        switch self {
        case .ocsp: .ocsp
        case .crl: .crl
        case .preferCRL: .preferCRL
        case .requirePositiveResponse: .requirePositiveResponse
        case .networkAccessDisabled: .networkAccessDisabled
        }
    }
}

extension JSONElement {
    fileprivate func revocationFlags() throws(PolicyFileError) -> RevocationFlags {
        var flags: RevocationFlags = []
        for element in try elements() {
            let word: RevocationFlag = try element.word()
            flags.insert(word.flag)
        }
        return flags
    }
}

extension JSONFields {
    /// True unless the file says otherwise: an omitted field must not weaken the policy.
    fileprivate mutating func flag(_ name: String) throws(PolicyFileError) -> Bool {
        try take(name)?.boolean() ?? true
    }
}
