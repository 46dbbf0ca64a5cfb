// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

/// The verdict on a certificate's timestamps, as a pure function of the data at hand.
struct TransparencyCheckTests {
    private let scene: TransparencyScene
    private var logs: [TransparencyTestLog] { scene.logs }

    init() throws { scene = try TransparencyScene() }

    private func shortfall(_ result: ServerTrustResult) throws -> TransparencyShortfall {
        guard case .certificateTransparency(let shortfall)? = result.failure?.reason else {
            throw try #require(result.failure, "accepted")
        }
        #expect(result.rule == "certificate-transparency")
        #expect(result.transparency?.shortfall == shortfall)
        #expect(result.isChainValidated && !result.verifiedChain.isEmpty)
        return shortfall
    }

    @Test(arguments: [false, true]) func `two logs of two operators suffice for 90 days`(isApple: Bool) throws {
        let policy = isApple ? TransparencyPolicy.apple(scene.list()) : .chrome(scene.list())
        let result = try scene.judge(try scene.leaf([logs[0], logs[2]]), policy)
        #expect(result.isAccepted && result.rule == "accepted")
        #expect(result.statuses == [.valid, .valid])
        #expect(result.transparency?.findings.map(\.operatorName) == ["One", "Two"])
        #expect(result.transparency?.findings.first?.time == scene.now - 3600)
        #expect(result.explanation.contains("a (One), "))
    }

    @Test func `a certificate of a year needs three logs`() throws {
        let year = LeafRequest(dnsNames: ["localhost"], validity: .days(-1, to: 364))
        let two = try scene.judge(try scene.leaf([logs[0], logs[2]], year))
        #expect(try shortfall(two) == .tooFewLogs(found: 2, required: 3))
        #expect(try scene.judge(try scene.leaf(logs, year)).isAccepted)
    }

    @Test func `Apple counts a timestamp in the certificate and one beside it together, of logs that are trusted now`()
        throws
    {
        let leaf = try scene.leaf([logs[0]])
        func judge(_ policy: TransparencyPolicy, _ beside: [TransparencyTestLog]) throws -> ServerTrustResult {
            try scene.judge(leaf, policy) { $0.handshakeTimestamps = try scene.timestamps(beside, for: leaf) }
        }
        #expect(try judge(.apple(scene.list()), [logs[2]]).isAccepted)
        #expect(try shortfall(judge(.chrome(scene.list()), [logs[2]])) == .tooFewLogs(found: 1, required: 2))
        #expect(try shortfall(judge(.apple(scene.list()), [logs[0]])) == .tooFewLogs(found: 1, required: 2))
        #expect(try !judge(.apple(scene.list()), [logs[1]]).isAccepted)
        let retired = TransparencyPolicy.apple(scene.list(states: [0: .retired(since: scene.now)]))
        #expect(try !judge(retired, [logs[2]]).isAccepted)
    }

    @Test func `a tiled log says where its entry is, and for Apple one log is of another kind`() throws {
        let index: [UInt8] = [0, 0, 5, 0, 0, 0, 0, 7]
        for (extensions, counts) in [
            (index, true), ([1, 0, 1, 9] + index, true), ([], false), (index + index, false),
            ([0, 0, 4, 0, 0, 0, 7], false),
            (Array(index.dropLast()), false), (index + [1], false),
        ] as [([UInt8], Bool)] {
            let leaf = try scene.issuer.issue(TransparencyScene.short) { entry throws(CertificateAuthorityError) in
                TransparencyTestLog.list([
                    try logs[0].timestamp(of: entry, at: scene.now - 3600, extensions: extensions),
                    try logs[2].timestamp(of: entry, at: scene.now - 3600),
                ])
            }
            let result = try scene.judge(leaf, .chrome(scene.list(tiled: [0])))
            #expect(result.statuses == [counts ? .valid : .noLeafIndex, .valid], "\(extensions)")
            #expect(try scene.judge(leaf, .apple(scene.list(tiled: [0]))).isAccepted == counts)
        }
        let both = try scene.issuer.issue(TransparencyScene.short) { entry throws(CertificateAuthorityError) in
            TransparencyTestLog.list([
                try logs[0].timestamp(of: entry, at: scene.now - 3600, extensions: index),
                try logs[2].timestamp(of: entry, at: scene.now - 3600, extensions: index),
            ])
        }
        #expect(try scene.judge(both, .chrome(scene.list(tiled: [0, 2]))).isAccepted)
        #expect(try shortfall(scene.judge(both, .apple(scene.list(tiled: [0, 2])))) == .onlyTiledLogs)
    }

    @Test func `180 days are short, and a second more is long; Apple counts the last second, too`() throws {
        let start = scene.now - 86400
        let exact = LeafRequest(
            dnsNames: ["localhost"], validity: Validity(notBefore: start, notAfter: start + 180 * 86400 - 1))
        #expect(try scene.judge(try scene.leaf([logs[0], logs[2]], exact), .apple(scene.list())).isAccepted)
        for (seconds, required) in [(0, 2), (1, 3)] as [(Int64, Int)] {
            let longer = LeafRequest(
                dnsNames: ["localhost"], validity: Validity(notBefore: start, notAfter: start + 180 * 86400 + seconds))
            let byApple = try scene.judge(try scene.leaf([logs[0], logs[2]], longer), .apple(scene.list()))
            #expect(try shortfall(byApple) == .tooFewLogs(found: 2, required: 3))

            let result = try scene.judge(try scene.leaf([logs[0]], longer))
            #expect(try shortfall(result) == .tooFewLogs(found: 1, required: required))
        }
    }

    @Test func `a certificate without timestamps is refused, and the sentence says so`() throws {
        let result = try scene.judge(try scene.issuer.issue(TransparencyScene.short))
        #expect(try shortfall(result) == .noTimestamps)
        #expect(result.sentence.hasPrefix("there is no certificate timestamp"))
    }

    @Test func `two logs of one operator are too few operators`() throws {
        let result = try scene.judge(try scene.leaf([logs[0], logs[1]]))
        #expect(try shortfall(result) == .tooFewOperators(found: 1, required: 2))
    }

    @Test func `the operator is that of the time of signing`() throws {
        let leaf = try scene.leaf([logs[0], logs[1]])
        let sold = TransparencyLogList(
            logs: scene.list(of: [logs[0]]).logs
                + scene.list(of: [logs[1]], former: [.init(name: "Three", until: scene.now)]).logs,
            time: scene.now)
        #expect(try scene.judge(leaf, .chrome(sold)).isAccepted)
    }

    @Test func `a log counts once`() throws {
        let result = try scene.judge(try scene.leaf([logs[0], logs[0], logs[0]]))
        #expect(result.statuses == [.valid, .repeatedLog, .repeatedLog])
        #expect(try shortfall(result) == .tooFewLogs(found: 1, required: 2))
    }

    @Test func `a log that is not in the list does not count`() throws {
        let result = try scene.judge(try scene.leaf([logs[0], logs[2]]), .chrome(scene.list(of: [logs[0]])))
        #expect(result.statuses == [.valid, .unknownLog])
        #expect(try shortfall(result) == .tooFewLogs(found: 1, required: 2))
    }

    @Test(arguments: [TransparencyLog.State.pending, .rejected, .unknown])
    func `a log that is not trusted does not count`(state: TransparencyLog.State) throws {
        let result = try scene.judge(try scene.leaf([logs[0], logs[2]]), .chrome(scene.list(states: [2: state])))
        #expect(result.statuses == [.valid, .untrustedLog(state)])
        #expect(!result.isAccepted)
    }

    @Test(arguments: [TransparencyLog.State.qualified, .usable, .readOnly])
    func `a log that is trusted counts`(state: TransparencyLog.State) throws {
        let policy = TransparencyPolicy.chrome(scene.list(states: [0: state, 2: state]))
        #expect(try scene.judge(try scene.leaf([logs[0], logs[2]]), policy).isAccepted)
    }

    @Test func `a retired log counts for what it signed before, beside one that is trusted`() throws {
        let leaf = try scene.leaf([logs[0], logs[2]])
        let after = TransparencyLog.State.retired(since: scene.now - 60)
        let before = TransparencyLog.State.retired(since: scene.now - 3600)
        #expect(try scene.judge(leaf, .chrome(scene.list(states: [2: after]))).isAccepted)
        let late = try scene.judge(leaf, .chrome(scene.list(states: [2: before])))
        #expect(late.statuses == [.valid, .untrustedLog(before)])
        #expect(try shortfall(late) == .tooFewLogs(found: 1, required: 2))
        let all = try scene.judge(leaf, .chrome(scene.list(states: [0: after, 2: after])))
        #expect(all.statuses == [.valid, .valid])
        #expect(try shortfall(all) == .noCurrentLog)
    }

    @Test func `a timestamp from the future does not count, but for the difference of clocks`() throws {
        let future = try scene.judge(try scene.leaf([logs[0], logs[2]], at: scene.now + 301))
        #expect(future.statuses == [.future, .future])
        #expect(!future.isAccepted)
        #expect(try scene.judge(try scene.leaf([logs[0], logs[2]], at: scene.now + 300)).isAccepted)
        let endless = try scene.issuer.issue(TransparencyScene.short) { entry throws(CertificateAuthorityError) in
            TransparencyTestLog.list([try logs[0].timestamp(of: entry, at: .max)])
        }
        #expect(try scene.judge(endless).statuses == [.future])
    }

    @Test func `a log counts for certificates that end in its interval`() throws {
        let leaf = try scene.leaf([logs[0], logs[2]])
        let end = try #require(try leaf.certificate().notAfter)
        #expect(try scene.judge(leaf, .chrome(scene.list(interval: end..<end + 1))).isAccepted)
        for interval in [end + 1..<end + 2, end - 1..<end] {
            let result = try scene.judge(leaf, .chrome(scene.list(interval: interval)))
            #expect(result.statuses == [.outsideInterval, .outsideInterval])
            #expect(!result.isAccepted)
        }
    }

    @Test func `a timestamp for another certificate has no valid signature`() throws {
        var stolen: [UInt8] = []
        _ = try scene.issuer.issue(TransparencyScene.short) { entry throws(CertificateAuthorityError) in
            stolen = TransparencyTestLog.list([
                try logs[0].timestamp(of: entry, at: scene.now), try logs[2].timestamp(of: entry, at: scene.now),
            ])
            return stolen
        }
        let result = try scene.judge(try scene.issuer.issue(TransparencyScene.short) { _ in stolen })
        #expect(result.statuses == [.invalidSignature, .invalidSignature])
        #expect(try shortfall(result) == .tooFewLogs(found: 0, required: 2))
    }

    @Test func `the issuer is part of what was signed`() throws {
        let other = try scene.root.issueIntermediate()
        var stolen: [UInt8] = []
        let leaf = try scene.issuer.issue(TransparencyScene.short) { entry throws(CertificateAuthorityError) in
            guard case .precertificate(_, let tbs) = entry else { return [] }
            let hash = X509Certificate.PublicKey.init(subjectPublicKeyInfo: Array(other.pin.utf8)).sha256
            let moved = TransparencyTestEntry.precertificate(issuerKeyHash: hash, tbs: tbs)
            stolen = TransparencyTestLog.list([
                try logs[0].timestamp(of: moved, at: scene.now), try logs[2].timestamp(of: moved, at: scene.now),
            ])
            return stolen
        }
        #expect(try scene.judge(leaf).statuses == [.invalidSignature, .invalidSignature])
    }

    @Test func `a change of any byte of a timestamp takes its effect`() throws {
        var timestamp: [UInt8] = []
        let request = LeafRequest(
            dnsNames: ["localhost"], key: .existing(privateKeyPEM: try CertificateAuthority().privateKeyPEM),
            validity: .days(-1, to: 89), flaws: .having { $0.serialNumber = [1, 2, 3] })
        _ = try scene.issuer.issue(request) { entry throws(CertificateAuthorityError) in
            timestamp = try logs[0].timestamp(of: entry, at: scene.now - 3600)
            return TransparencyTestLog.list([timestamp])
        }
        let whole = try scene.judge(try scene.issuer.issue(request) { _ in TransparencyTestLog.list([timestamp]) })
        #expect(whole.statuses == [.valid])
        for index in timestamp.indices {
            var changed = timestamp
            changed[index] ^= 1
            let leaf = try scene.issuer.issue(request) { _ in TransparencyTestLog.list([changed]) }
            let result = try scene.judge(leaf)
            #expect(result.statuses.count == 1 && result.statuses != [.valid], "\(index): \(result.statuses)")
        }
    }

    @Test func `a list in the certificate that is cut at any byte is malformed and counts for nothing`() throws {
        var list: [UInt8] = []
        _ = try scene.issuer.issue(TransparencyScene.short) { entry throws(CertificateAuthorityError) in
            list = TransparencyTestLog.list([
                try logs[0].timestamp(of: entry, at: scene.now), try logs[2].timestamp(of: entry, at: scene.now),
            ])
            return list
        }
        for count in 0..<list.count {
            let result = try scene.judge(
                try scene.issuer.issue(TransparencyScene.short) { _ in Array(list.prefix(count)) })
            #expect(!result.isAccepted && result.statuses == [.malformed], "\(count)")
        }
    }

    @Test func `another version is named`() throws {
        let leaf = try scene.issuer.issue(TransparencyScene.short) { _ in TransparencyTestLog.list([[1, 9, 9]]) }
        let result = try scene.judge(leaf)
        #expect(result.statuses == [.unknownVersion(1)])
        #expect(result.transparency?.findings.first?.description.contains("version 2 is not known") == true)
    }

    @Test func `no more than a number of timestamps is looked at`() throws {
        let many = Array(repeating: logs[0], count: 60) + [logs[2]]
        let result = try scene.judge(try scene.leaf(many))
        #expect(result.statuses.count == TransparencyVerdict.maximumTimestamps)
        #expect(!result.isAccepted)
    }

    @Test func `timestamps beside the certificate count, from the server and its staple together`() throws {
        let leaf = try scene.issuer.issue(LeafRequest(dnsNames: ["localhost"], validity: .days(-1, to: 364)))
        let timestamps = try scene.timestamps([logs[0], logs[2]], for: leaf)
        let staple = try scene.issuer.ocspResponse(
            about: leaf, .good, timestamps: TransparencyTestLog.list([timestamps[1]]))
        let result = try scene.judge(leaf) {
            $0.handshakeTimestamps = [timestamps[0]]
            $0.revocation.stapledResponse = OCSPResponse(der: staple)
        }
        #expect(result.isAccepted)
        #expect(result.transparency?.findings.map(\.source) == [.handshake, .staple])
        let one = try scene.judge(leaf) { $0.handshakeTimestamps = [timestamps[0]] }
        #expect(try shortfall(one) == .tooFewLogs(found: 1, required: 2))
    }

    @Test func `timestamps beside the certificate are not added to those in it`() throws {
        let leaf = try scene.leaf([logs[0]])
        let timestamps = try scene.timestamps([logs[2]], for: leaf)
        let result = try scene.judge(leaf) { $0.handshakeTimestamps = timestamps }
        #expect(result.statuses == [.valid, .valid])
        #expect(try shortfall(result) == .tooFewLogs(found: 1, required: 2))
    }

    @Test func `a retired log does not count beside the certificate`() throws {
        let leaf = try scene.issuer.issue(TransparencyScene.short)
        let timestamps = try scene.timestamps([logs[0], logs[2]], for: leaf)
        let retired = TransparencyLog.State.retired(since: scene.now)
        let result = try scene.judge(leaf, .chrome(scene.list(states: [2: retired]))) {
            $0.handshakeTimestamps = timestamps
        }
        #expect(result.statuses == [.valid, .untrustedLog(retired)])
        #expect(!result.isAccepted)
    }

    @Test func `staples of any form are harmless`() throws {
        let leaf = try scene.issuer.issue(TransparencyScene.short)
        let list = TransparencyTestLog.list(try scene.timestamps([logs[0], logs[2]], for: leaf))
        let staple = try scene.issuer.ocspResponse(about: leaf, .good, timestamps: list)
        #expect(try scene.judge(leaf) { $0.revocation.stapledResponse = OCSPResponse(der: staple) }.isAccepted)
        for count in 0..<staple.count {
            let result = try scene.judge(leaf) {
                $0.revocation.stapledResponse = OCSPResponse(der: Array(staple.prefix(count)))
            }
            #expect(!result.isAccepted)
        }
    }

    @Test func `without an issuer in the chain, timestamps in the certificate cannot be checked`() throws {
        let leaf = try scene.leaf([logs[0], logs[2]])
        let result = try scene.judge(leaf) {
            $0.sentChain = [try leaf.certificate()]
            $0.anchors = .only([try leaf.certificate()])
        }
        #expect(result.verifiedChain.count == 1)
        #expect(result.statuses == [.noIssuer, .noIssuer])
        #expect(!result.isAccepted)
    }

    @Test func `an invalid chain is refused as always, and no timestamp is looked at`() throws {
        let leaf = try scene.leaf([logs[0], logs[2]])
        for mode in TransparencyPolicy.Mode.allCases {
            let policy = ServerTrustPolicy.certificateTransparency(.chrome(scene.list(), mode: mode))
            let other = policy.evaluate(try scene.trust(leaf), host: "other.test")
            #expect(other.rule == "name-mismatch" && other.transparency == nil)
            let foreign = ServerTrust(
                sentChain: try X509Certificate.all(inPEM: leaf.chainPEM),
                anchors: .only([try CertificateAuthority().certificate()]))
            #expect(!policy.evaluate(foreign, host: "localhost").isAccepted)
        }
    }
}

/// Modes, ages of lists, and other policies beside it.
struct TransparencyPolicyTests {
    private let scene: TransparencyScene

    init() throws { scene = try TransparencyScene() }

    @Test func `a policy that only reports refuses nothing, and tells`() throws {
        let leaf = try scene.leaf([scene.logs[0]])
        let result = try scene.judge(leaf, .chrome(scene.list(), mode: .reportOnly))
        #expect(result.isAccepted && result.rule == "accepted-unlogged")
        #expect(result.waived?.reason == .certificateTransparency(.tooFewLogs(found: 1, required: 2)))
        #expect(result.statuses == [.valid])
        #expect(result.sentence.hasSuffix("which is only reported"))
    }

    @Test func `a list older than 70 days has no effect, unless a fresh one is required`() throws {
        let leaf = try scene.issuer.issue(TransparencyScene.short)
        let old = scene.list(time: scene.now - 70 * 86400 - 1)
        let lenient = try scene.judge(leaf, .chrome(old))
        #expect(lenient.isAccepted && lenient.transparency?.isListOutdated == true)
        #expect(lenient.transparency?.sentence.contains("out of date") == true)
        let strict = try scene.judge(leaf, .chrome(old, requiresFreshList: true))
        #expect(strict.failure?.reason == .certificateTransparency(.outdatedList))
        #expect(try !scene.judge(leaf, .chrome(scene.list(time: scene.now - 70 * 86400))).isAccepted)
    }

    @Test func `a list of unknown or absurd age is relied on, unless a fresh one is required`() throws {
        let leaf = try scene.leaf([scene.logs[0], scene.logs[2]])
        let none = try scene.issuer.issue(TransparencyScene.short)
        let unknown = TransparencyLogList(logs: scene.list().logs, time: nil)
        #expect(try scene.judge(leaf, .chrome(unknown)).isAccepted)
        #expect(try !scene.judge(none, .chrome(unknown)).isAccepted)
        #expect(try !scene.judge(leaf, .chrome(unknown, requiresFreshList: true)).isAccepted)
        for time in [Int64.max, scene.now + 86400] {
            #expect(try !scene.judge(none, .chrome(scene.list(time: time))).isAccepted)
        }
        #expect(try scene.judge(none, .chrome(scene.list(time: .min))).isAccepted)
    }

    @Test func `a policy without a list has that of the trust, and without either it refuses`() throws {
        let leaf = try scene.leaf([scene.logs[0], scene.logs[2]])
        #expect(try scene.judge(leaf, .chrome()) { $0.transparencyLogs = scene.list() }.isAccepted)
        let others = scene.list(of: [scene.logs[0]])
        #expect(try scene.judge(leaf, .chrome(scene.list())) { $0.transparencyLogs = others }.isAccepted)
        #expect(try !scene.judge(leaf, .chrome()) { $0.transparencyLogs = others }.isAccepted)
        for isFresh in [false, true] {
            let result = try scene.judge(leaf, .chrome(requiresFreshList: isFresh))
            #expect(result.failure?.reason == .certificateTransparency(.noList))
            #expect(result.statuses == [.unknownLog, .unknownLog])
        }
    }

    @Test func `it composes with pins: both must accept`() throws {
        let leaf = try scene.leaf([scene.logs[0], scene.logs[2]])
        let rules = ServerTrustPolicy.certificateTransparency(.chrome(scene.list()))
        func rule(_ leaf: Identity, _ pin: String) throws -> (String, Int?) {
            let pins = PinSet(pins: [try X509Certificate.PublicKey(pin: pin)])
            let result = ServerTrustPolicy.composite([.pinSet(pins), rules])
                .evaluate(try scene.trust(leaf), host: "localhost")
            return (result.rule, result.transparency?.findings.count)
        }
        #expect(try rule(leaf, leaf.pin) == ("accepted", 2))
        #expect(try rule(leaf, scene.root.pin) == ("accepted", 2))
        #expect(try rule(leaf, CertificateAuthority().pin) == ("key-not-pinned", nil))
        let bare = try scene.issuer.issue(TransparencyScene.short)
        #expect(try rule(bare, bare.pin) == ("certificate-transparency", 0))
    }

    @Test func `policies with other lists, modes or ages are other policies`() throws {
        let list = scene.list(time: 1)
        let policies: [TransparencyPolicy] = [
            .chrome(list), .apple(list), .chrome(list, mode: .reportOnly), .chrome(list, requiresFreshList: true),
            .chrome(scene.list(time: 2)), .chrome(scene.list(time: 1, states: [0: .readOnly])),
            .chrome(scene.list(time: 1, interval: 0..<1)), .chrome(scene.list(of: [], time: 1)),
        ]
        #expect(Set(policies).count == policies.count)
        #expect(Set(policies.map(\.bytes)).count == policies.count)
        #expect(TransparencyPolicy.chrome(list) == .chrome(scene.list(time: 1)))
    }

    @Test(arguments: [KeyKind.p384, .ed25519, .rsa(bits: 1024)])
    func `a log has a key of P-256 or RSA with 2048 bits`(kind: KeyKind) throws {
        let log = try TransparencyTestLog("a", operatorName: "One", key: kind)
        #expect(TransparencyLog(description: "", operatorName: "", key: log.publicKey) == nil)
        #expect(TransparencyLog(description: "", operatorName: "", key: []) == nil)
    }

    @Test func `the session is not resumed when the list has become too old`() throws {
        let leaf = try scene.leaf([scene.logs[0], scene.logs[2]])
        let made = scene.now - 70 * 86400 + 100
        let result = try scene.judge(leaf, .chrome(scene.list(time: made), requiresFreshList: true))
        #expect(TrustEvidence(result, at: scene.now)?.validity.upperBound == scene.now + 100)
        let lenient = try scene.judge(leaf, .chrome(scene.list(time: made)))
        #expect(TrustEvidence(lenient, at: scene.now)?.validity.upperBound == scene.now + 86400)
    }
}
