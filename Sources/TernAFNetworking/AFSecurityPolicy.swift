// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

/// AFNetworking 4's security policy; ``serverTrustPolicy`` is the same as a ``TernTLS/ServerTrustPolicy``.
///
/// One difference: without `validatesDomainName` AFNetworking evaluates by plain X.509 rules, and a certificate for
/// clients would do. Here the purpose has to be "TLS server" all the same.
public struct AFSecurityPolicy: Sendable {
    /// What pins are compared with.
    public enum SSLPinningMode: Sendable, Hashable {
        /// Nothing: pins do not count.
        case none
        /// Public keys.
        case publicKey
        /// Whole certificates.
        case certificate
    }

    /// What pins are compared with.
    public let sslPinningMode: SSLPinningMode
    /// The certificates to pin, or whose keys to pin. None at all refuses everyone, unless the mode is `none`.
    public var pinnedCertificates: Set<X509Certificate>
    /// Whether chains that are not valid, such as those of self-signed servers, are accepted for their pins; without
    /// pinning, whether every server is.
    public var allowInvalidCertificates = false
    /// Whether the name in the certificate has to be the host's.
    public var validatesDomainName = true

    /// A policy that pins these certificates or their keys. Without any, but with a mode that pins, it takes the `.cer`
    /// files among the main bundle's resources.
    public init(
        pinningMode: SSLPinningMode = .none, withPinnedCertificates pinnedCertificates: Set<X509Certificate>? = nil
    ) {
        sslPinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates ?? (pinningMode == .none ? [] : Self.certificates(in: .main))
    }

    /// The DER certificates with the extension `cer` among a bundle's resources.
    public static func certificates(in bundle: Bundle) -> Set<X509Certificate> {
        let files = bundle.paths(forResourcesOfType: "cer", inDirectory: nil).map { URL(filePath: $0) }
        return Set(files.compactMap { file in try? X509Certificate(der: [UInt8](try Data(contentsOf: file))) })
    }

    /// Whether a server is trusted that was asked for by the name `domain`; nil checks no name.
    public func evaluateServerTrust(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
        guard let domain else {
            var nameless = self
            nameless.validatesDomainName = false
            return nameless.serverTrustPolicy.evaluateChain(serverTrust).isAccepted
        }
        return serverTrustPolicy.evaluate(serverTrust, host: domain).isAccepted
    }

    /// The same policy in this library's terms, for a ``TernTLS/ServerTrustPolicyManager``.
    public var serverTrustPolicy: ServerTrustPolicy {
        let pins = pinnedCertificates.sorted { $0.publicKey.pin < $1.publicKey.pin }
        let host = validatesDomainName
        if allowInvalidCertificates, host, sslPinningMode == .none || pins.isEmpty {
            // A self-signed server proves its name by being pinned; unpinned, it proves nothing.
            return .pinCertificates(certificates: [], validateCertificateChain: false, validateHost: false)
        }
        switch sslPinningMode {
        case .none:
            return allowInvalidCertificates ? .disableEvaluation : .performDefaultEvaluation(validateHost: host)
        case .certificate:
            let pinned = ServerTrustPolicy.pinCertificates(
                certificates: pins, validateCertificateChain: true, validateHost: host)
            return allowInvalidCertificates
                ? pinned : .composite([.performDefaultEvaluation(validateHost: host), pinned])
        case .publicKey:
            let isStrict = !allowInvalidCertificates
            return .pinPublicKeys(
                publicKeys: pins.map(\.publicKey), validateCertificateChain: isStrict, validateHost: isStrict && host)
        }
    }
}
