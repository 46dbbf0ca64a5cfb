// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

struct PublicKeyTests {
    /// SHA-256 of nothing.
    private let empty = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `a pin reads and writes the same text`() throws {
        let key = try X509Certificate.PublicKey(pin: empty)
        #expect(key.sha256.count == 32)
        #expect(key.pin == empty)
        #expect(key == X509Certificate.PublicKey(subjectPublicKeyInfo: []))
        #expect("\(key)" == empty)
    }

    @Test func `another key is another pin`() {
        #expect(
            X509Certificate.PublicKey(subjectPublicKeyInfo: [1]) != X509Certificate.PublicKey(subjectPublicKeyInfo: [2])
        )
    }

    @Test(arguments: [
        ("", PinError.unknownAlgorithm("")),
        (
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            .unknownAlgorithm("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        ),
        ("sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", .unknownAlgorithm("sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=")),
        ("SHA256/AAAA", .unknownAlgorithm("SHA256/AAAA")),
        ("sha256/", .wrongLength(0)),
        ("sha256/AAAA", .wrongLength(3)),
        (
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            .invalidBase64("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU")
        ),
        // Bits after the last byte: a second encoding of the same hash.
        (
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
            .invalidBase64("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=")
        ),
        (
            "sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
            .invalidBase64("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=")
        ),
        (
            "sha256/ 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            .invalidBase64(" 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        ),
        ("sha256/=AAA", .invalidBase64("=AAA")),
        ("sha256/====", .invalidBase64("====")),
        ("sha256/AA=A", .invalidBase64("AA=A")),
    ])
    func `what is no pin is refused with the reason`(text: String, error: PinError) {
        #expect(throws: error) { try X509Certificate.PublicKey(pin: text) }
    }

    /// curl's form has one more slash.
    @Test func `curl's two slashes are not ours`() {
        #expect(throws: PinError.self) { try X509Certificate.PublicKey(pin: "sha256//" + empty.dropFirst(7)) }
    }
}
