// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The kind of a certificate's key, without its numbers.
enum KeyAlgorithm: Hashable {
    /// The sizes of the modulus in bits, and of the exponent in bytes.
    case rsa(bits: Int, exponent: Int)
    /// A curve by its `NID_…`; nil if its parameters are explicit.
    case ellipticCurve(Int32?)
    case dsa
    case other(Int32)
}

extension X509Certificate {
    /// Whether a key may occur in other servers' certificates. RSA verification above 8192 bits, or with a long
    /// exponent, takes long enough to be an attack; OpenSSL's security level enforces the minimum.
    var hasSupportedKey: Bool {
        if case .rsa(let bits, let exponent) = keyAlgorithm, bits > 8192 || exponent > 8 { return false }
        return hasSupportedAlgorithm
    }

    /// Whether a key is of an allowed kind, anchors included.
    var hasSupportedAlgorithm: Bool {
        switch keyAlgorithm {
        case .ellipticCurve(let curve?): Self.curves.contains(curve)
        case .ellipticCurve(nil), .dsa, nil: false
        case .rsa(let bits, _): bits % 8 == 0
        case .other: true
        }
    }

    /// The cost of verifying a signature made with the key, in units of `EvaluationBudget`.
    var verificationCost: Int {
        switch keyAlgorithm {
        case .rsa(let bits, _): bits <= 4096 ? 60 : bits <= 8192 ? 250 : 1500
        case .ellipticCurve(NID_X9_62_prime256v1), .other(NID_ED25519): 80
        case .ellipticCurve(NID_secp384r1), .ellipticCurve(NID_secp521r1), .other: 600
        case .ellipticCurve, .dsa, nil: 900
        }
    }

    private static let curves = [
        NID_X9_62_prime256v1, NID_secp384r1, NID_secp521r1,
        NID_brainpoolP256r1, NID_brainpoolP384r1, NID_brainpoolP512r1,  // RFC 7027, German authorities
    ]

    /// Nil for an unreadable key, and for numbers that are not an RSA key.
    var keyAlgorithm: KeyAlgorithm? {
        defer { OpenSSLError.clear() }
        var object: OpaquePointer?
        var bytes: UnsafePointer<UInt8>?
        var length: Int32 = 0
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        guard let key = unsafe X509_get0_pubkey(x509.pointer),
            unsafe X509_PUBKEY_get0_param(&object, &bytes, &length, &algorithm, X509_get_X509_PUBKEY(x509.pointer))
                == 1
        else { return nil }
        switch unsafe OBJ_obj2nid(object) {
        case NID_rsaEncryption, NID_rsassaPss:
            let encoding = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, length))))
            guard let exponent = Self.exponentLength(inRSAKey: encoding) else { return nil }
            return .rsa(bits: unsafe Int(EVP_PKEY_get_bits(key)), exponent: exponent)
        case NID_X9_62_id_ecPublicKey:
            var kind: Int32 = 0
            var value: UnsafeRawPointer?
            unsafe X509_ALGOR_get0(nil, &kind, &value, algorithm)
            guard kind == V_ASN1_OBJECT, let value = unsafe value else { return .ellipticCurve(nil) }
            return .ellipticCurve(unsafe OBJ_obj2nid(OpaquePointer(value)))
        case NID_dsa: return .dsa
        case let other: return .other(other)
        }
    }

    /// The length of the exponent in bytes. RFC 8017 §3.1: the modulus is odd, and so is the exponent, at least 3. With
    /// exponent 1, a message is its own signature, which anyone can make.
    private static func exponentLength(inRSAKey encoding: [UInt8]) -> Int? {
        guard var numbers = DERElements(sequence: encoding), let modulus = numbers.next(),
            let exponent = numbers.next()?.content.drop(while: { $0 == 0 }), numbers.isAtEnd,
            modulus.content.last.map({ $0 & 1 }) == 1, exponent.last.map({ $0 & 1 }) == 1, exponent != [1]
        else { return nil }
        return exponent.count
    }
}
