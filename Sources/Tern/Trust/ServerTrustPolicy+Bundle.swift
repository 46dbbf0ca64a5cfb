// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension ServerTrustPolicy {
    /// Returns the certificates among a bundle's resources: DER files with the extension `cer`, `crt` or `der`.
    public static func certificates(in bundle: Bundle = .main) -> [X509Certificate] {
        bundle.resourceURL.map { certificates(in: $0) } ?? []
    }

    /// Returns the keys of the certificates among a bundle's resources.
    public static func publicKeys(in bundle: Bundle = .main) -> [X509Certificate.PublicKey] {
        certificates(in: bundle).map(\.publicKey)
    }
}
