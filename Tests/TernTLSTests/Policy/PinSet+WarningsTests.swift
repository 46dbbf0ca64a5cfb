// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

struct PinSetWarningsTests {
    private static let stranger = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])

    @Test func `warnings say what will hurt, and nothing traps`() {
        let (one, two) = (Self.stranger, X509Certificate.PublicKey(subjectPublicKeyInfo: [2]))
        let day: Int64 = 86400
        let cases: [(PinSet, [PinSet.Warning])] = [
            (PinSet(pins: []), [.noPins]), (PinSet(pins: [one]), [.onePin]),
            (PinSet(pins: [one, one]), [.onePin, .repeatedPin(one)]), (PinSet(pins: [one, two]), [.noBackup]),
            (PinSet(pins: [one], backupPins: [two]), []),
            (PinSet(pins: [one], backupPins: [two], expires: 0), [.expired]),
            (PinSet(pins: [one], backupPins: [two], expires: 10 * day), [.expiresSoon(days: 9)]),
            (PinSet(pins: [one], backupPins: [two], expires: .max), []),
            (PinSet(pins: [one], backupPins: [two], expires: .min), [.expired]),
            (PinSet(pins: [one], backupPins: [two], mode: .reportOnly), [.reportsNowhere]),
            (PinSet(pins: [one], backupPins: [two], mode: .reportOnly, reportURLs: ["https://a.example"]), []),
        ]
        for (set, expected) in cases {
            #expect(set.warnings(at: 1) == expected)
            #expect(set.warnings(at: 1).allSatisfy { !"\($0)".isEmpty })
        }
        #expect(PinSet(pins: [one], backupPins: [two], expires: .max).warnings(at: .min).isEmpty)
    }

    @Test(
        arguments: [
            ([], ["example.com"], false), (["example.com"], [], false), (["example.com"], ["example.com"], true),
            (["a.example.com"], ["*.example.com"], true), (["example.com"], ["*.example.com"], false),
            (["example.com", "a.example.com"], ["**.example.com"], true),
            (["example.com", "example.org"], ["**.example.com"], false),
            (["*.example.com"], ["*.example.com"], true), (["*.example.com"], ["**.example.com"], true),
            (["*.a.example.com"], ["**.example.com"], true), (["*.a.example.com"], ["*.example.com"], false),
            (["*.example.com"], ["a.example.com"], false), (["**.example.com"], ["*.example.com"], false),
            (["**.example.com"], ["**.example.com"], true), (["**.a.example.com"], ["**.example.com"], true),
            (["**.example.com"], ["**.a.example.com"], false), (["127.0.0.1"], ["127.0.0.1"], true),
        ] as [([String], [String], Bool)])
    func `a set that excludes all of its own hosts is warned of`(
        hosts: [String], excluded: [String], isWarnedOf: Bool
    ) throws {
        let set = PinSet(
            hosts: try hosts.map(HostPattern.init), excludedHosts: try excluded.map(HostPattern.init),
            pins: [Self.stranger], backupPins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        #expect(set.warnings(at: 0) == (isWarnedOf ? [.excludesItsHosts] : []))
    }

    @Test func `a pattern for a whole top-level domain is warned of`() throws {
        let hosts = try ["**.com", "*.com", "com", "*.example.com", "**.example.com"].map(HostPattern.init)
        let set = PinSet(
            hosts: hosts, pins: [Self.stranger], backupPins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        #expect(set.warnings(at: 0) == hosts.prefix(2).map(PinSet.Warning.topLevelDomain))
        #expect(set.warnings(at: 0).map(\.description).first?.hasPrefix("**.com covers a whole") == true)
    }
}
