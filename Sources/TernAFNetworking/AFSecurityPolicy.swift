// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

/// AFNetworking 4's security policy; ``serverTrustPolicy`` is the equivalent ``TernTLS/ServerTrustPolicy``.
///
/// One difference: without `validatesDomainName` AFNetworking evaluates by plain X.509 rules, which accept a client's
/// certificate. Here the purpose must always be "TLS server".
public struct AFSecurityPolicy: Sendable {
    /// What pins are compared with.
    public enum SSLPinningMode: Sendable, Hashable {
        /// Nothing: pins are ignored.
        case none
        /// Public keys.
        case publicKey
        /// Whole certificates.
        case certificate
    }

    /// What pins are compared with.
    public let sslPinningMode: SSLPinningMode
    /// The certificates to pin, or whose keys to pin. An empty list refuses every server, unless the mode is `none`.
    public var pinnedCertificates: Set<X509Certificate>
    /// Whether invalid chains, such as those of self-signed servers, are accepted because of their pins; without
    /// pinning, whether every server is.
    public var allowInvalidCertificates = false
    /// Whether the certificate must be for the host's name.
    public var validatesDomainName = true

    /// Creates a policy that pins these certificates or their keys. Without any, but with a mode that pins, it uses the
    /// `.cer` files among the main bundle's resources.
    public init(
        pinningMode: SSLPinningMode = .none, withPinnedCertificates pinnedCertificates: Set<X509Certificate>? = nil
    ) {
        sslPinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates ?? (pinningMode == .none ? [] : Self.certificates(in: .main))
    }

    /// Returns the DER certificates with the extension `cer` among a bundle's resources.
    public static func certificates(in bundle: Bundle) -> Set<X509Certificate> {
        let files = bundle.paths(forResourcesOfType: "cer", inDirectory: nil).map { URL(filePath: $0) }
        return Set(files.compactMap { file in try? X509Certificate(der: [UInt8](try Data(contentsOf: file))) })
    }

    /// Whether a server is trusted for the name `domain`; nil checks no name.
    public func evaluateServerTrust(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
        guard let domain else {
            var nameless = self
            nameless.validatesDomainName = false
            return nameless.serverTrustPolicy.evaluateChain(serverTrust).isAccepted
        }
        return serverTrustPolicy.evaluate(serverTrust, host: domain).isAccepted
    }

    /// The equivalent policy for a ``TernTLS/ServerTrustPolicyManager``.
    public var serverTrustPolicy: ServerTrustPolicy {
        let pins = pinnedCertificates.sorted { $0.publicKey.pin < $1.publicKey.pin }
        let host = validatesDomainName
        if allowInvalidCertificates, host, sslPinningMode == .none || pins.isEmpty {
            // A self-signed server proves its name by its pin; without one, it proves nothing.
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
