// SPDX-License-Identifier: Apache-2.0
// Any bytes as DER, as PEM, and as a chain to be evaluated. Oracle: no trap, no leak, nothing is ever trusted, and
// everything that parses can be described.
@testable import TernTLS

private let policies: [ServerTrustPolicy] = {
    let pin = X509Certificate.PublicKey(subjectPublicKeyInfo: [])
    return [
        .performDefaultEvaluation(validateHost: true), .performDefaultEvaluation(validateHost: false),
        .pinPublicKeys(publicKeys: [pin], validateCertificateChain: false, validateHost: false),
        .pinCertificates(certificates: [], validateCertificateChain: true, validateHost: true),
    ]
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var chain = (try? X509Certificate.all(inPEM: bytes)) ?? []
    if let certificate = try? X509Certificate(der: bytes) {
        chain.append(certificate)
        let again = try? X509Certificate(der: certificate.der)
        guard again == certificate else { fatalError("\(certificate) does not survive its own DER") }
    }
    guard !chain.isEmpty else { return 0 }
    let trust = ServerTrust(sentChain: chain, anchors: .only([]), time: 1_767_225_600)
    for policy in policies {
        let result = policy.evaluate(trust, host: "a.test")
        guard !result.isAccepted, !result.explanation.isEmpty else { fatalError("\(result)") }
    }
    // OpenSSL refuses nearly all of these before a rule of ours is asked, and revocation is asked about good chains
    // only.
    for profile in TrustProfile.allCases {
        for isComplete in [true, false] {
            _ = CertificateRule.violated(by: chain, isComplete: isComplete, profile: profile)
        }
    }
    let own = ServerTrust(sentChain: chain, anchors: .only(chain), time: 1_767_225_600, profile: .web)
    _ = ServerTrustPolicy.performDefaultEvaluation(validateHost: false).evaluateChain(own).explanation
    let check = RevocationCheck(data: RevocationData(), flags: .useAnyAvailableMethod, time: own.time)
    _ = check.failure(of: check.findings(in: chain), in: chain, host: "a.test")
    for certificate in chain {
        _ = (certificate.subjectAlternativeNames.map(\.description), certificate.hashValue)
    }
    return 0
}
