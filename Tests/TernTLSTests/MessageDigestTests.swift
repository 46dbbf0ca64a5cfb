// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

@Suite struct MessageDigestTests {
    @Test(arguments: [
        (MessageDigest.Algorithm.sha256, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        (
            .sha512, "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
        ),
    ])
    func `chunks have the hash of the whole`(algorithm: MessageDigest.Algorithm, hash: String) {
        var digest = MessageDigest(algorithm)
        for piece in [[UInt8(ascii: "a")], [], [UInt8(ascii: "b"), UInt8(ascii: "c")]] {
            unsafe piece.withUnsafeBytes { unsafe digest.update($0) }
        }
        let found = digest.finish().map(Base64.encode)
        #expect(found == hash)
    }
}
