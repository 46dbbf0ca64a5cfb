// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

@testable import TernEngine

@Suite struct ReprDigestTests {
    private func strongest(_ values: [String]) -> (algorithm: DigestAlgorithm, value: [UInt8])? {
        ReprDigest.strongest(in: values.map { Array($0.utf8) })
    }

    private static let short = Base64.encode(Array(repeating: 1, count: 32))
    private static let long = Base64.encode(Array(repeating: 2, count: 64))

    @Test func `the strongest of those we know counts`() {
        let found = strongest(["unixsum=:AAAA:, sha-256=:\(Self.short):", "sha-512=:\(Self.long):;a=1"])
        #expect(found?.algorithm == .sha512)
        #expect(found?.value == Array(repeating: 2, count: 64))
        #expect(strongest(["sha-256=:\(Self.short):"])?.algorithm == .sha256)
    }

    @Test(arguments: [
        [], [""], ["unixsum=:AAAA:"], ["sha-256=:AAAA:"], ["sha-256=\(short)"], ["sha-256=:\(short)"],
        ["SHA-256=:\(short):"],
        ["sha-256=:\(short):x"], ["sha-256"], ["sha-256=:\(short):,"], ["sha-256=:*:"],
        [String(repeating: "unixsum=:AAAA:,", count: 64) + "sha-256=:\(short):"],
    ])
    func `a broken field, or one of none we know, is none`(values: [String]) {
        #expect(strongest(values) == nil)
    }
}
