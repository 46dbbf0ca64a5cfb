// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

/// ``TernTLS/ServerTrust``: a value, where Security has a reference.
public typealias SecTrust = ServerTrust
/// ``TernTLS/X509Certificate``
public typealias SecCertificate = X509Certificate
/// ``TernTLS/X509Certificate/PublicKey``
public typealias SecKey = X509Certificate.PublicKey
/// Foundation's: no object is bridged here.
public typealias CFData = Data
/// ``TernTLS/RevocationFlags``
public typealias CFOptionFlags = RevocationFlags

/// ``TernTLS/RevocationFlags/ocsp``
public let kSecRevocationOCSPMethod = RevocationFlags.ocsp
/// ``TernTLS/RevocationFlags/crl``
public let kSecRevocationCRLMethod = RevocationFlags.crl
/// ``TernTLS/RevocationFlags/preferCRL``
public let kSecRevocationPreferCRL = RevocationFlags.preferCRL
/// ``TernTLS/RevocationFlags/requirePositiveResponse``
public let kSecRevocationRequirePositiveResponse = RevocationFlags.requirePositiveResponse
/// ``TernTLS/RevocationFlags/networkAccessDisabled``
public let kSecRevocationNetworkAccessDisabled = RevocationFlags.networkAccessDisabled
/// ``TernTLS/RevocationFlags/useAnyAvailableMethod``
public let kSecRevocationUseAnyAvailableMethod = RevocationFlags.useAnyAvailableMethod

/// Creates a certificate from DER bytes; nil if they encode none. The allocator is ignored.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecCertificateCreateWithData(_ allocator: Never?, _ data: Data) -> X509Certificate? {
    try? X509Certificate(der: [UInt8](data))
}

/// The certificate's encoding in DER.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecCertificateCopyData(_ certificate: X509Certificate) -> Data { Data(certificate.der) }

/// The certificate's public key.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecCertificateCopyKey(_ certificate: X509Certificate) -> X509Certificate.PublicKey? {
    certificate.publicKey
}
