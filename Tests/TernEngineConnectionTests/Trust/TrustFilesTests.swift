// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(2))) struct TrustFilesTests {
    private let authority: CertificateAuthority
    private let folder: SecretFolder
    private let origin: ScriptedOrigin

    init() throws {
        authority = try CertificateAuthority()
        folder = try SecretFolder()
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .requested(authorityPEM: authority.certificatePEM)
        origin = try ScriptedOrigin(tls: authority.issue(), tlsOptions: options) { connection, _ in
            [.ok("\(connection)")]
        }
    }

    private func client(_ name: String = "client", _ validity: Validity = .current) throws -> Identity {
        try authority.issueClient(name, validity)
    }

    /// The last certificate that a client has shown.
    private var shown: [UInt8]? { origin.observations.handshakes.last?.clientCertificate }

    private func identityPaths(hosts: [String]? = nil) throws -> TrustFilePaths {
        var paths = TrustFilePaths()
        paths.identities = [TrustFilePaths.Identity(certificates: folder.url("tls.pem"))]
        paths.identities[0].hosts = try hosts?.map { try HostPattern($0) }
        return paths
    }

    @Test(arguments: Way.allCases)
    func `a renewed certificate is shown by the next request, however the file is replaced`(_ way: Way) async throws {
        let (old, new) = (try client("old"), try client("new"))
        try folder.mount(["tls.crt": old.chainPEM, "tls.key": old.privateKeyPEM], version: 1)
        try folder.write(old.chainPEM + old.privateKeyPEM, to: "tls.pem")
        var paths = try identityPaths()
        if way == .mountedSecret {
            paths.identities = [.init(certificates: folder.url("tls.crt"), privateKey: folder.url("tls.key"))]
        }
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        #expect(try await session.text(URLRequest(origin)) == "1")
        #expect(shown == old.der)
        switch way {
        case .rename: try folder.replace("tls.pem", with: new.chainPEM + new.privateKeyPEM)
        case .rewriting: try folder.write(new.chainPEM + new.privateKeyPEM, to: "tls.pem")
        case .openFile: try folder.overwriteKeepingOpen("tls.pem", with: new.chainPEM + new.privateKeyPEM)
        case .folder:
            try folder.replaceWhole { try $0.write(new.chainPEM + new.privateKeyPEM, to: "tls.pem") }
        case .mountedSecret: try folder.mount(["tls.crt": new.chainPEM, "tls.key": new.privateKeyPEM], version: 2)
        }
        // Some ways pass through a moment without a whole file.
        while await watch.next() != "replaced: identity 1" {}
        #expect(try await session.text(URLRequest(origin)) == "2")
        #expect(shown == new.der)
        #expect(origin.observations.handshakes.allSatisfy { !$0.isResumed })
        #expect(await origin.waitFor { $0.openConnections == 1 })
    }

    enum Way: CaseIterable { case rename, rewriting, openFile, folder, mountedSecret }

    @Test func `with other anchors the old server is refused by the next request, and then the new one is not`()
        async throws
    {
        let other = try CertificateAuthority(commonName: "Other")
        try folder.write(authority.certificatePEM, to: "ca.pem")
        var paths = TrustFilePaths()
        paths.anchors = .only(folder.url("ca.pem"))
        let watch = try Watch(paths)
        let session = Session.limited { $0.trustFiles = watch.files }
        #expect(try await session.text(URLRequest(origin)) == "1")
        try folder.replace("ca.pem", with: other.certificatePEM)
        #expect(await watch.next() == "replaced: anchors")
        #expect(await session.failure(of: try URLRequest(origin))?.reason.trustFailure != nil)
        #expect(origin.requests.count == 1)
        try origin.present(other.issue())
        _ = try await session.data(for: URLRequest(origin))
        #expect(origin.requests.count == 2)
    }

    @Test func `a policy and a revocation list refuse a server from the next request on`() async throws {
        let server = try authority.issue()
        let origin = try ScriptedOrigin(tls: server) { _, _ in [.ok()] }
        try folder.write(Self.policy(server.pin), to: "policy.json")
        try folder.write(try authority.revocationList(revoking: []), to: "list.crl")
        var paths = TrustFilePaths()
        (paths.policy, paths.revocationLists) = (folder.url("policy.json"), [folder.url("list.crl")])
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        _ = try await session.data(for: URLRequest(origin))
        try folder.replace("policy.json", with: Self.policy(authority.pin, server.pin, scope: "leaf"))
        #expect(await watch.next() == "replaced: policy")
        _ = try await session.data(for: URLRequest(origin))
        try folder.replace("policy.json", with: Self.policy(authority.pin, scope: "leaf"))
        #expect(await watch.next() == "replaced: policy")
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "key-not-pinned")
        // The program's own, until the file changes.
        session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [
            "localhost": .performRevokedEvaluation(
                validateHost: true, revocationFlags: [.crl, .requirePositiveResponse, .networkAccessDisabled])
        ])
        _ = try await session.data(for: URLRequest(origin))
        try folder.replace("list.crl", with: try authority.revocationList(revoking: [server]))
        #expect(await watch.next() == "replaced: revocation lists")
        #expect(await session.failure(of: try URLRequest(origin))?.reason.trustFailure != nil)
        #expect(origin.observations.requestCount == 3)
    }

    @Test func `a signed policy takes effect, and neither one of another key nor an older one does`() async throws {
        let signer = try TransparencyTestLog("signer", operatorName: "x")
        let stranger = try TransparencyTestLog("stranger", operatorName: "x")
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        var version = 0
        // Both files at once: one of them without the other is refused, too.
        func deliver(_ number: Int, pin: String, by key: TransparencyTestLog) throws {
            let text = Array(
                #"{"version": 2, "number": \#(number), "rules": [{"hosts": ["localhost"], "pins": ["\#(pin)"]}]}"#.utf8)
            version += 1
            try folder.mount(["policy.json": text, "policy.sig": try key.sign(text)], version: version)
        }
        try deliver(2, pin: authority.pin, by: signer)
        var paths = TrustFilePaths()
        paths.policy = folder.url("policy.json")
        paths.policySignature = .init(
            file: folder.url("policy.sig"), publicKey: signer.publicKey, numberFile: folder.url("number"))
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        _ = try await session.data(for: URLRequest(origin))
        let wrong = try CertificateAuthority().pin
        try deliver(3, pin: wrong, by: stranger)
        #expect(await watch.next().hasSuffix("the file is not signed by the given key"))
        try deliver(1, pin: wrong, by: signer)
        #expect(await watch.next().hasSuffix("the policy has the number 1, and 2 was read before"))
        _ = try await session.data(for: URLRequest(origin))
        try deliver(3, pin: wrong, by: signer)
        #expect(await watch.next() == "replaced: policy")
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "key-not-pinned")
    }

    @Test func `the bundle of a trust domain is read anew`() async throws {
        let id = try SPIFFEID("spiffe://example.org/payments")
        let other = try CertificateAuthority()
        let identity = try authority.issue(
            LeafRequest(
                dnsNames: [], uris: ["\(id)"],
                extensions: [CertificateExtension("keyUsage", "critical,digitalSignature")]))
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        try folder.write(other.certificatePEM, to: "bundle.pem")
        var paths = TrustFilePaths()
        paths.spiffeBundles = [id.trustDomain: folder.url("bundle.pem")]
        let watch = try Watch(paths)
        let policy = ServerTrustPolicy.spiffe(SPIFFEPolicy(allowed: [.id(id)]))
        let session = try Session.trusting(other, policies: ["localhost": policy]) { $0.trustFiles = watch.files }
        #expect(await session.failure(of: try URLRequest(origin))?.reason.trustFailure != nil)
        try folder.replace("bundle.pem", with: authority.certificatePEM)
        #expect(await watch.next() == "replaced: bundles of trust domains")
        _ = try await session.data(for: URLRequest(origin))
        try folder.replace("bundle.pem", with: "{\"keys\": 1}")
        #expect(await watch.next().hasPrefix("refused: bundles of trust domains, "))
    }

    @Test func `a list of distrusted certificates refuses a server, and its intermediate, from the next request on`()
        async throws
    {
        let issuer = try authority.issueIntermediate()
        let server = try issuer.issue()
        let origin = try ScriptedOrigin(tls: server) { _, _ in [.ok()] }
        func list(_ pins: String...) -> String {
            let records = pins.map { #"{"pubKeyHash": "\#($0.dropFirst("sha256/".count))", "last_modified": 1}"# }
            return #"{"data": [\#(records.joined(separator: ","))]}"#
        }
        for name in ["a.json", "b.json"] { try folder.write(list(), to: name) }
        var paths = TrustFilePaths()
        paths.distrustedCertificates = [folder.url("a.json"), folder.url("b.json")]
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        _ = try await session.data(for: URLRequest(origin))
        for pin in [server.pin, issuer.pin] {
            try folder.replace("b.json", with: list(pin))
            #expect(await watch.next() == "replaced: distrusted certificates")
            #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "distrusted")
        }
        try folder.replace("a.json", with: #"{"data": [{"pubKeyHash": "AA=="}]}"#)
        #expect(
            await watch.next().hasSuffix(
                "a.json: line 1, column 26, data[0].pubKeyHash: the pin has 1 bytes where SHA-256 has 32"))
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "distrusted")
        try folder.replace("b.json", with: list(authority.pin))
        try folder.replace("a.json", with: list())
        while await watch.next() != "replaced: distrusted certificates" {}
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "distrusted")
        #expect(origin.observations.requestCount == 1)
    }

    @Test func `what a session cannot use is told of each part that changed, once`() async throws {
        try folder.write(authority.certificatePEM, to: "ca.pem")
        try folder.write(Self.policy(authority.pin), to: "policy.json")
        var paths = TrustFilePaths()
        (paths.anchors, paths.policy) = (.only(folder.url("ca.pem")), folder.url("policy.json"))
        let watch = try Watch(paths)
        // Its own settings make every change fail.
        let session = Session.limited { ($0.trustFiles, $0.tls.cipherList) = (watch.files, "") }
        let other = try CertificateAuthority(commonName: "Other")
        try folder.replace("ca.pem", with: other.certificatePEM)
        #expect(await watch.next().hasPrefix("refused: anchors, "))
        try folder.replace("policy.json", with: Self.policy(other.pin))
        #expect(await watch.next().hasPrefix("refused: policy, "))
        withExtendedLifetime(session) {}
    }

    @Test func `a list that is outdated soon is told of once a day, and what was left out of it when it is read`()
        async throws
    {
        let log = try TransparencyTestLog("a", operatorName: "One")
        func write(_ more: String) throws {
            let logs = #"{"name": "One", "logs": [\#(log.json())\#(more)]}"#
            try folder.replace(
                "logs.json", with: #"{"log_list_timestamp": "2026-01-01T00:00:00Z", "operators": [\#(logs)]}"#)
        }
        try write(#", {"log_id": "AAAA", "key": "AAAA"}"#)
        let header = #"{"ContentType":"CRLSet","NumParents":0,"NotAfter":1773100800}"#
        try Data([UInt8(header.utf8.count), 0] + Array(header.utf8)).write(to: folder.url("set"))
        var paths = TrustFilePaths()
        paths.transparencyLogs = .init(list: folder.url("logs.json"))
        paths.distrustedCertificates = [folder.url("set")]
        // Two weeks before 2026-03-12, when the list of logs is 70 days old.
        let time = Lock<Int64>(1_773_273_600 - 14 * 86400 - 1)
        let looks = Looks()
        var habits = Watch.habits
        habits.checkInterval = .milliseconds(5)
        habits.clock = {
            looks.count()
            return time.withLock { $0 }
        }
        let watch = try Watch(paths, habits)
        let session = Session.limited { $0.trustFiles = watch.files }
        let skipped = "list of certificate logs: skipped: line 1, column "
        #expect(await watch.next().hasPrefix(skipped))
        let ofSet = "distrusted certificates: outdated from 2026-03-10T00:00:00Z on"
        #expect(await watch.next() == ofSet)
        await looks.next(5)
        #expect(watch.count == 2)
        time.withLock { $0 += 1 }
        #expect(await watch.next() == "list of certificate logs: outdated from 2026-03-12T00:00:00Z on")
        time.withLock { $0 += 86400 }
        #expect(await Set([watch.next(), watch.next()]).contains(ofSet))
        // The same logs are no other list, but it was read again.
        try write(#", {"log_id": "AAAB", "key": "AAAB"}"#)
        #expect(await watch.next().hasPrefix(skipped))
        withExtendedLifetime(session) {}
    }

    /// In a process of its own, whose environment names the bundle.
    @Test func `a root that an update of the system's bundle removes is not trusted, and one that it adds is`() async {
        await #expect(processExitsWith: .success) {
            for hasOwn in [false, true] {
                let old = try CertificateAuthority(commonName: "Old")
                let new = try CertificateAuthority(commonName: "New")
                let folder = try SecretFolder()
                try folder.write(old.certificatePEM, to: "system.pem")
                try folder.write(CertificateAuthority(commonName: "Own").certificatePEM, to: "own.pem")
                unsafe setenv("SSL_CERT_FILE", folder.path("system.pem"), 1)
                unsafe unsetenv("SSL_CERT_DIR")
                let origin = try ScriptedOrigin(tls: old.issue()) { _, _ in [.ok()] }
                var paths = TrustFilePaths()
                if hasOwn { paths.anchors = .systemAnd(folder.url("own.pem")) }
                let watch = try Watch(paths)
                let session = Session.limited { $0.trustFiles = watch.files }
                _ = try await session.data(for: URLRequest(origin))
                try folder.replace("system.pem", with: new.certificatePEM)
                #expect(await watch.next() == "replaced: anchors of the system")
                #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "missing-issuer")
                try origin.present(new.issue())
                _ = try await session.data(for: URLRequest(origin))
                // A bundle that is just being written replaces nothing.
                for text in ["", String(old.certificatePEM.dropLast(40))] {
                    try folder.replace("system.pem", with: text)
                    #expect(await watch.next().hasPrefix("refused: anchors of the system, "))
                    _ = try await session.data(for: URLRequest(origin))
                }
                try folder.replace("system.pem", with: old.certificatePEM + new.certificatePEM)
                #expect(await watch.next() == "replaced: anchors of the system")
                _ = try await session.data(for: URLRequest(origin))
            }
        }
    }

    @Test func `the system's anchors are followed where they count, and unless that is turned off`() throws {
        func parts(_ change: (inout TrustFilePaths) -> Void) -> Bool {
            var paths = TrustFilePaths()
            change(&paths)
            return paths.parts.contains { $0.part == .systemAnchors }
        }
        let file = folder.url("ca.pem")
        #expect(parts { _ in } && parts { $0.anchors = .systemAnd(file) })
        #expect(parts { ($0.anchors, $0.proxyAnchors) = (.only(file), .systemAnd(file)) })
        #expect(!parts { $0.anchors = .only(file) } && !parts { $0.systemAnchors = false })
    }

    private static func policy(_ pins: String..., scope: String = "anyCertificate") -> String {
        let pins = pins.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"{"pinSets": [{"hosts": ["localhost"], "pins": [\#(pins)], "scope": "\#(scope)"}]}"#
    }

    @Test(arguments: Flaw.allCases)
    func `a file that cannot be used is told once, and what was read before stays`(_ flaw: Flaw) async throws {
        let (old, new) = (try client("old"), try client("new"))
        try folder.write(old.chainPEM + old.privateKeyPEM, to: "tls.pem")
        try folder.write(Self.policy(authority.pin), to: "policy.json")
        var paths = try identityPaths()
        paths.policy = folder.url("policy.json")
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        #expect(try await session.text(URLRequest(origin)) == "1")
        let weak = try authority.issue(LeafRequest(key: .rsa(bits: 1024)))
        for _ in 0..<2 {
            switch flaw {
            case .missing: unsafe unlink(folder.path("tls.pem"))
            case .emptied: try folder.write("", to: "tls.pem")
            case .folder:
                unsafe unlink(folder.path("aside"))
                try FileManager.default.createSymbolicLink(atPath: folder.path("aside"), withDestinationPath: "/tmp")
                unsafe rename(folder.path("aside"), folder.path("tls.pem"))
            case .truncated:
                let whole = old.privateKeyPEM + old.chainPEM
                try folder.replace("tls.pem", with: String(whole.dropLast(40)))
            case .keyOfAnother: try folder.replace("tls.pem", with: new.chainPEM + old.privateKeyPEM)
            case .weakKey: try folder.replace("tls.pem", with: weak.chainPEM + weak.privateKeyPEM)
            case .policyWithError: try folder.replace("policy.json", with: Self.policy("sha256/short"))
            }
        }
        let told = await watch.next()
        #expect(told.hasPrefix("refused: ") && told.contains(flaw.text), "\(told)")
        #expect(try await session.text(URLRequest(origin)) == "1")
        try folder.replace("policy.json", with: Self.policy(authority.pin, old.pin))
        try folder.replace("tls.pem", with: new.chainPEM + new.privateKeyPEM)
        var events: [String] = []
        while events.last?.contains("identity 1") != true { events.append(await watch.next()) }
        #expect(!events.contains { $0.hasPrefix("refused") }, "\(events)")
        #expect(try await session.text(URLRequest(origin)) != "1")
        #expect(shown == new.der)
    }

    enum Flaw: CaseIterable {
        case missing, emptied, folder, truncated, keyOfAnother, weakKey, policyWithError

        var text: String {
            switch self {
            case .missing: "cannot be read: open: No such file"
            case .emptied: "the file is empty"
            case .folder: "not a regular file"
            case .truncated: "the file ends within a PEM block"
            case .keyOfAnother: "does not belong to the certificate"
            case .weakKey: "cannot be used in TLS"
            case .policyWithError: "line 1"
            }
        }
    }

    @Test func `the first reading fails with the error of the file`() throws {
        let error = #expect(throws: TrustFileError.self) { try Watch(try identityPaths()) }
        #expect(error?.part == .identity(0))
        if case .unreadable? = error?.reason {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func `hosts have certificates of their own, and each is renewed`() async throws {
        let (common, own, new) = (try client("common"), try client("own"), try client("new"))
        try folder.write(common.chainPEM + common.privateKeyPEM, to: "common.pem")
        try folder.write(own.chainPEM + own.privateKeyPEM, to: "tls.pem")
        var paths = try identityPaths(hosts: ["localhost"])
        paths.identities.append(.init(certificates: folder.url("common.pem")))
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        _ = try await session.data(for: URLRequest(origin))
        #expect(shown == own.der)
        _ = try await session.data(for: URLRequest(origin, host: "127.0.0.1"))
        #expect(shown == common.der)
        try folder.replace("tls.pem", with: new.chainPEM + new.privateKeyPEM)
        #expect(await watch.next() == "replaced: identity 1")
        _ = try await session.data(for: URLRequest(origin))
        #expect(shown == new.der)
        _ = try await session.data(for: URLRequest(origin, host: "127.0.0.1"))
        #expect(shown == common.der)
    }

    @Test func `a certificate is due two weeks before its end, or in its last third, unless a time is given`() throws {
        let day: Int64 = 86_400
        for (from, end, given, due) in [
            (-1, 5, nil, 2 * day), (-30, 60, nil, 14 * day), (0, 1, nil, day / 3), (-1, 5, 9 * day, 9 * day),
            (-1, 5, 0, 0),
        ] as [(Int, Int, Int64?, Int64)] {
            let certificate = try X509Certificate(pem: client("x", .days(from, to: end)).certificatePEM)
            #expect(abs(certificate.warningTime(given) - due) <= 1, "\(from) \(end)")
        }
    }

    @Test func `a certificate that expires soon is told of once a day`() async throws {
        let identity = try client("brief", .days(-20, to: 5))
        try folder.write(identity.chainPEM + identity.privateKeyPEM, to: "tls.pem")
        let time = Lock(Int64(Date().timeIntervalSince1970))
        let looks = Looks()
        var habits = Watch.habits
        habits.checkInterval = .milliseconds(5)
        habits.clock = {
            looks.count()
            return time.withLock { $0 }
        }
        let watch = try Watch(try identityPaths(), habits)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        #expect(await watch.next().hasPrefix("identity 1: CN=brief expires at "))
        await looks.next(5)
        time.withLock { $0 += 86_399 }
        await looks.next(5)
        #expect(watch.count == 1)
        time.withLock { $0 += 1 }
        #expect(await watch.next().hasPrefix("identity 1: CN=brief expires at "))
        await looks.next(5)
        #expect(watch.count == 2)
        withExtendedLifetime(session) {}
    }

    @Test func `sessions share files, and one that begins late has the latest`() async throws {
        let (old, new) = (try client("old"), try client("new"))
        try folder.write(old.chainPEM + old.privateKeyPEM, to: "tls.pem")
        let watch = try Watch(try identityPaths())
        let first = try Session.trusting(authority) { $0.trustFiles = watch.files }
        _ = try await first.data(for: URLRequest(origin))
        try folder.replace("tls.pem", with: new.chainPEM + new.privateKeyPEM)
        #expect(await watch.next() == "replaced: identity 1")
        let second = try Session.trusting(authority) { $0.trustFiles = watch.files }
        _ = try await second.data(for: URLRequest(origin))
        #expect(shown == new.der)
        #expect(origin.observations.handshakes.map { $0.clientCertificate == old.der } == [true, false])
        withExtendedLifetime(first) {}
    }

    @Test func `proxies have anchors and policies of their own files, or the anchors of origins`() throws {
        try folder.write(authority.certificatePEM, to: "ca.pem")
        let other = try CertificateAuthority(commonName: "Other")
        try folder.write(other.certificatePEM, to: "proxy.pem")
        try folder.write(Self.policy(other.pin), to: "policy.json")
        var paths = TrustFilePaths()
        paths.anchors = .only(folder.url("ca.pem"))
        let one = SessionConfiguration().applying(try Watch(paths).files.current.material.applied(to: TLSSettings()))
        #expect(one.forProxies.tls.anchors == .only([try X509Certificate(pem: authority.certificatePEM)]))
        paths.proxyAnchors = .only(folder.url("proxy.pem"))
        paths.proxyPolicy = folder.url("policy.json")
        let two = SessionConfiguration().applying(try Watch(paths).files.current.material.applied(to: TLSSettings()))
        #expect(two.tls.anchors == one.tls.anchors)
        #expect(two.forProxies.tls.anchors == .only([try X509Certificate(pem: other.certificatePEM)]))
        #expect(two.proxyTrustPolicyManager?.policies.keys.sorted() == ["localhost"])
    }

    @Test func `the next request is refused behind an https proxy that the new files do not trust, whichever they are`()
        async throws
    {
        let other = try CertificateAuthority(commonName: "Other")
        let (port, identity) = (origin.port, try other.issue())
        let server = try ScriptedProxy(tls: identity) { _ in port }
        try folder.write(other.certificatePEM, to: "proxy.pem")
        try folder.write(Self.policy(other.pin), to: "policy.json")
        var paths = TrustFilePaths()
        paths.proxyAnchors = .only(folder.url("proxy.pem"))
        paths.proxyPolicy = folder.url("policy.json")
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) {
            $0.trustFiles = watch.files
            $0.proxySettings = ProxySettings(Proxy(.https, host: "localhost", port: server.port))
        }
        #expect(try await session.text(URLRequest(origin)) == "1")
        for (file, wrong, right, part) in [
            ("policy.json", Self.policy(authority.pin), Self.policy(other.pin), "policy of proxies"),
            ("proxy.pem", authority.certificatePEM, other.certificatePEM, "anchors of proxies"),
        ] {
            let before = origin.requests.count
            try folder.replace(file, with: wrong)
            #expect(await watch.next() == "replaced: \(part)")
            #expect(await session.failure(of: try URLRequest(origin))?.reason.trustFailure != nil, "\(part)")
            #expect(origin.requests.count == before)
            try folder.replace(file, with: right)
            #expect(await watch.next() == "replaced: \(part)")
            _ = try await session.data(for: URLRequest(origin))
        }
    }

    @Test func `a list of logs is replaced while sessions run, and one without its signature is refused`() async throws
    {
        let logs = [
            try TransparencyTestLog("a", operatorName: "One"), try TransparencyTestLog("b", operatorName: "Two"),
        ]
        let signer = try TransparencyTestLog("signer", operatorName: "x")
        func write(_ logs: [TransparencyTestLog], isSigned: Bool = true) throws {
            let operators = logs.map { #"{"name": "\#($0.operatorName)", "logs": [\#($0.json())]}"# }
            let text = #"{"operators": [\#(operators.joined(separator: ","))]}"#
            if isSigned {
                try Data(try signer.sign(Array(text.utf8))).write(to: folder.url("logs.sig"))
            }
            try folder.replace("logs.json", with: text)
        }
        let leaf = try authority.issue(LeafRequest(validity: .days(-1, to: 89))) {
            entry throws(CertificateAuthorityError) in
            var timestamps: [[UInt8]] = []
            for log in logs { timestamps.append(try log.timestamp(of: entry, at: Timestamp.current - 3600)) }
            return TransparencyTestLog.list(timestamps)
        }
        try origin.present(leaf)
        try write(logs)
        var paths = TrustFilePaths()
        paths.transparencyLogs = .init(
            list: folder.url("logs.json"), signature: folder.url("logs.sig"), publicKey: signer.publicKey)
        let watch = try Watch(paths)
        let session = try Session.trusting(authority) { $0.trustFiles = watch.files }
        session.serverTrustPolicyManager = ServerTrustPolicyManager(
            policies: ["localhost": .certificateTransparency(.chrome())])
        _ = try await session.data(for: URLRequest(origin))
        try write([logs[0]])
        while await watch.next() != "replaced: list of certificate logs" {}
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "certificate-transparency")
        try write(logs, isSigned: false)
        while await !watch.next().hasSuffix("logs.json: the file is not signed by the given key") {}
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "certificate-transparency")
        try write(logs)
        while await watch.next() != "replaced: list of certificate logs" {}
        _ = try await session.data(for: URLRequest(origin))
    }

    @Test(arguments: [
        ("", true), ("text\n", true), ("-----BEGIN A-----\nx\n-----END A-----\n", true),
        ("- text\n-----BEGIN A-----\nx\n-----END A----- \r\n--- more\n", true),
        ("-----BEGIN A-----\nx\n-----END A----", false), ("-----BEGIN A-----\nx\n", false), ("-----BEGIN A", false),
        ("-----BEGIN A-----\nx\n-----END A-----\n-----BEG", false),
    ])
    func `a text that ends within a block is known`(_ text: String, isWhole: Bool) {
        #expect(FilesOfPart.isWhole(Array(text.utf8)) == isWhole)
    }
}

extension CertificateAuthority {
    func issueClient(_ name: String, _ validity: Validity = .current) throws -> Identity {
        try issue(
            LeafRequest(
                commonName: name, validity: validity,
                extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
    }
}

/// Counts looks at files.
private final class Looks: Sendable {
    private let looks: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (looks, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func count() { continuation.yield() }

    /// Waits for so many looks from now on.
    func next(_ count: Int) async {
        var left = count
        for await _ in looks {
            left -= 1
            if left < 0 { return }
        }
    }
}
