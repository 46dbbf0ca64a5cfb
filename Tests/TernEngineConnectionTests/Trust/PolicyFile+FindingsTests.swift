// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

@testable import TernEngine

@Suite struct PolicyFileFindingsTests {
    private static func pin(_ number: UInt8) -> X509Certificate.PublicKey {
        X509Certificate.PublicKey(subjectPublicKeyInfo: [number])
    }

    /// A set for these hosts without a finding of its own.
    private static func set(
        _ hosts: [String], _ number: UInt8, excluding excluded: [String] = []
    ) throws -> PinSet {
        PinSet(
            hosts: try hosts.map { try HostPattern($0) }, excludedHosts: try excluded.map { try HostPattern($0) },
            pins: [pin(2 * number)], backupPins: [pin(2 * number + 1)])
    }

    private static func rules(_ sets: [PinSet], at time: Int64 = 0) -> [String] {
        PolicyFile(pinSets: sets).findings(at: time).map { "\($0.field) \($0.rule)" }
    }

    @Test func `a policy with a backup pin and hosts of its own has no finding`() throws {
        #expect(
            Self.rules([try Self.set(["a.test", "**.b.test"], 1), try Self.set(["c.test", "*.d.test"], 2)]) == [])
    }

    @Test func `a policy without sets says what that means`() {
        #expect(Self.rules([]) == ["pinSets no-pin-sets"])
        let messages = [PolicyFile.UnlistedHosts.evaluate, .refuse].map {
            PolicyFile(pinSets: [], unlistedHosts: $0).findings(at: 0).map(\.message)
        }
        #expect(messages == [["no host is pinned"], ["no host is listed, so every server is refused"]])
    }

    @Test func `the warnings of a set are findings of the file`() throws {
        var set = try Self.set(["a.test"], 1)
        (set.backupPins, set.expires) = ([], 86400)
        #expect(Self.rules([set]) == ["pinSets[0] one-pin", "pinSets[0] expires-soon"])
        #expect(Self.rules([set], at: 86400) == ["pinSets[0] one-pin", "pinSets[0] expired"])
        set.pins += [Self.pin(9)]
        #expect(Self.rules([set], at: -100 * 86400) == ["pinSets[0] no-backup-pin"])
    }

    @Test func `a wildcard over a public suffix is found by the list`() throws {
        let found = Self.rules([try Self.set(["**.co.uk", "*.github.io", "**.com", "co.uk", "**.example.co.uk"], 1)])
        #expect(
            found.filter { !$0.contains("shadowed") } == [
                "pinSets[0] top-level-domain", "pinSets[0] public-suffix", "pinSets[0] public-suffix",
            ])
    }

    @Test func `a key that two sets pin is found in the second`() throws {
        var second = try Self.set(["b.test"], 2)
        second.backupPins = [Self.pin(2)]
        #expect(Self.rules([try Self.set(["a.test"], 1), second]) == ["pinSets[1] shared-pin"])
    }

    @Test(arguments: [
        ("api.h.test", "**.h.test", true), ("h.test", "**.h.test", true), ("api.h.test", "*.h.test", true),
        ("a.b.h.test", "*.h.test", false), ("h.test", "*.h.test", false), ("*.h.test", "**.h.test", true),
        ("**.b.h.test", "**.h.test", true), ("*.b.h.test", "*.h.test", false), ("*.h.test", "**.b.h.test", false),
        ("api.other.test", "**.h.test", false), ("127.0.0.1", "**.h.test", false),
    ])
    func `a host that a pattern of another set covers is found, whichever comes first`(
        host: String, pattern: String, isFound: Bool
    ) throws {
        let (one, two) = (try Self.set([host], 1), try Self.set([pattern], 2))
        #expect(Self.rules([one, two]) == (isFound ? ["pinSets[0].hosts[0] shadowed-host"] : []))
        #expect(Self.rules([two, one]) == (isFound ? ["pinSets[1].hosts[0] shadowed-host"] : []))
        // In one set both have the same pins.
        #expect(Self.rules([try Self.set([host, pattern], 1)]) == [])
        #expect(Self.rules([one, try Self.set([pattern], 2, excluding: [host])]) == [])
    }

    @Test func `a hundred thousand hosts cost look-ups`() throws {
        let sets = try (0..<1000).map { number in
            var set = try Self.set((0..<100).map { "h\($0).s\(number).test" }, 1)
            set.pins = [X509Certificate.PublicKey(subjectPublicKeyInfo: [1, UInt8(number & 255), UInt8(number >> 8)])]
            set.backupPins = [
                X509Certificate.PublicKey(subjectPublicKeyInfo: [2, UInt8(number & 255), UInt8(number >> 8)])
            ]
            return set
        }
        #expect(Self.rules(sets) == [])
    }
}
