// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine

@Suite struct ServerTrustPolicyJSONTests {
    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func policy(_ members: String) throws -> ServerTrustPolicy {
        try ServerTrustPolicy(fields: JSONFields(reading: Array("{\(members)}".utf8)))
    }

    @Test func `fields imply the evaluation, and what is left out weakens nothing`() throws {
        guard case .performDefaultEvaluation(validateHost: true) = try policy(""),
            case .pinSet = try policy(#""pins": ["\#(Self.pin)"]"#),
            case .pinPublicKeys(_, false, true) = try policy(
                #""pins": ["\#(Self.pin)"], "validateCertificateChain": false"#),
            case .performRevokedEvaluation(true, .useAnyAvailableMethod) = try policy(
                #""evaluation": "performRevokedEvaluation""#),
            case .disableEvaluation = try policy(#""evaluation": "disableEvaluation""#)
        else {
            Issue.record("another policy")
            return
        }
    }

    @Test func `flags are words, and policies stand in policies`() throws {
        guard
            case .performRevokedEvaluation(false, [.crl, .preferCRL]) = try policy(
                #""evaluation": "performRevokedEvaluation", "validateHost": false, "revocationFlags": ["crl", "preferCRL"]"#
            ),
            case .composite(let policies) = try policy(#""evaluation": "composite", "policies": [{}, {}]"#)
        else {
            Issue.record("another policy")
            return
        }
        #expect(policies.count == 2)
    }

    @Test(arguments: [
        #""evaluation": "none""#, #""evaluation": "pinPublicKeys""#, #""validateHost": 1"#, #""other": true"#,
        #""evaluation": "performRevokedEvaluation", "revocationFlags": ["ocps"]"#, #""certificates": ["x"]"#,
    ])
    func `what is not understood is refused`(members: String) {
        #expect(throws: PolicyFileError.self) { try policy(members) }
    }
}

@Suite struct PinSetJSONTests {
    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func set(_ members: String) throws -> PinSet {
        let file = try PolicyFile(json: Array("{\"pinSets\": [{\(members)}]}".utf8))
        return try #require(file.pinSets.first)
    }

    @Test func `what is left out is the stricter choice`() throws {
        let set = try set(#""hosts": ["a.test"], "pins": ["\#(Self.pin)"]"#)
        #expect(set.mode == .enforce)
        #expect(set.scope == .anyCertificate)
        #expect(set.expires == nil)
        #expect(set.backupPins.isEmpty && set.excludedHosts.isEmpty && set.reportURLs.isEmpty)
        #expect(set.pins.map(\.pin) == [Self.pin])
    }

    @Test(arguments: [
        (#""hosts": [], "pins": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]"#, "pinSets[0].hosts"),
        (#""hosts": ["a.test"], "pins": []"#, "pinSets[0].pins"), (#""hosts": ["a.test"]"#, "pinSets[0].pins"),
        (#""pins": []"#, "pinSets[0].hosts"),
    ])
    func `a set without hosts or without pins is refused`(members: String, field: String) throws {
        let error = try #require(throws: PolicyFileError.self) { try set(members) }
        #expect(error.field == field)
    }
}

/// The 79th of Alamofire's situations, `testOnlyValidCertificatesAreDetected`, is the first test here.
@Suite struct ServerTrustPolicyFolderTests {
    @Test(.proves("13.15a", "13.18a")) func `DER files with six extensions are read, and all others skipped`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try CertificateAuthority()
        func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: folder.appending(path: name)) }
        var expected: [X509Certificate] = []
        for name in ["a.cer", "b.CER", "c.crt", "d.CRT", "e.der", "f.DER"] {
            let certificate = try X509Certificate(pem: try authority.issue().certificatePEM)
            expected.append(certificate)
            try write(certificate.der, name)
        }
        let (der, identity) = (try #require(expected.first).der, try authority.issue())
        try write(der, "g.Cer")
        try write(der, "h.txt")
        try write(der, "cer")
        try write(der + [0], "i.der")
        try write(der.dropLast(), "j.der")
        try write(Array(identity.certificatePEM.utf8), "k.crt")
        try write(Array(identity.privateKeyPEM.utf8), "l.der")
        try write([], "m.cer")
        try FileManager.default.createDirectory(at: folder.appending(path: "n.cer"), withIntermediateDirectories: true)

        #expect(ServerTrustPolicy.certificates(in: folder) == expected)
        #expect(ServerTrustPolicy.publicKeys(in: folder) == expected.map(\.publicKey))
        #expect(ServerTrustPolicy.certificates(in: folder.appending(path: "nowhere")).isEmpty)
    }
}
