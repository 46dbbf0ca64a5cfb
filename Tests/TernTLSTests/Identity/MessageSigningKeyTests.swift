// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

@Suite struct MessageSigningKeyTests {
    private static let kinds: [(KeyKind, [MessageSigningKey.Algorithm])] = [
        (.p256, [.ecdsaP256SHA256]), (.p384, [.ecdsaP384SHA384]), (.p521, []), (.ed25519, [.ed25519]),
        (.rsa(bits: 2048), [.rsaPSSSHA512, .rsaPKCS1SHA256]),
    ]

    @Test(arguments: kinds)
    func `a key signs with the algorithms for it, and is refused for others`(
        kind: KeyKind, algorithms: [MessageSigningKey.Algorithm]
    ) throws {
        let pem = Array(try CertificateAuthority(key: kind).privateKeyPEM.utf8)
        for algorithm in MessageSigningKey.Algorithm.allCases {
            guard algorithms.contains(algorithm) else {
                let error = #expect(throws: ClientIdentityError.self) {
                    try MessageSigningKey(pem: pem, algorithm: algorithm)
                }
                #expect(error?.reason == .otherAlgorithm)
                continue
            }
            let key = try MessageSigningKey(pem: pem, algorithm: algorithm)
            let length = [.ecdsaP384SHA384: 96, .rsaPSSSHA512: 256, .rsaPKCS1SHA256: 256][algorithm] ?? 64
            #expect(key.signature(of: [1, 2, 3])?.count == length, "\(algorithm)")
            #expect("\(key)" == "a key for \(algorithm.rawValue)")
        }
    }

    @Test func `a key that is too short for its algorithm makes no signature`() throws {
        let pem = Array(try CertificateAuthority(key: .rsa(bits: 1024)).privateKeyPEM.utf8)
        #expect(try MessageSigningKey(pem: pem, algorithm: .rsaPSSSHA512).signature(of: [1]) == nil)
    }

    @Test func `HMAC has the codes of RFC 4231`() {
        // §4.2, §4.3
        let hexadecimal = { (bytes: [UInt8]?) in bytes?.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        let first = MessageDigest.hmacSHA256(Array("Hi There".utf8), key: Array(repeating: 0x0B, count: 20))
        #expect(hexadecimal(first) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = MessageDigest.hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(hexadecimal(second) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(MessageDigest.hmacSHA256([], key: [])?.count == 32)
    }
}
