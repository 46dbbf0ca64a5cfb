// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

/// `tern trust pins`, `evaluate` and `explain`, on files and against a server.
@Suite struct TrustCommandTests {
    private let authority: CertificateAuthority
    private let leaf: Identity
    private let folder: TemporaryFolder
    private let chain: String
    private let anchors: String

    init() throws {
        authority = try CertificateAuthority()
        leaf = try authority.issueIntermediate().issue(LeafRequest(dnsNames: ["example.com"]))
        folder = try TemporaryFolder()
        chain = try folder.write(leaf.chainPEM, to: "chain.pem")
        anchors = try folder.write(authority.certificatePEM, to: "roots.pem")
    }

    private func evaluate(_ arguments: String...) async throws -> TernTool.Result {
        try await TernTool.run(["trust", "evaluate", "--chain", chain, "--anchors", anchors] + arguments)
    }

    @Test func `pins of a file are those openssl computes`() async throws {
        let result = try await TernTool.run("trust", "pins", chain)
        #expect(result.status == 0)
        let pins = result.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
        #expect(pins.count == 2)
        #expect(pins.first == leaf.pin)
        let command = "openssl x509 -pubkey -noout -in '\(chain)' | openssl pkey -pubin -outform der"
        let hash = try await Command.run(["sh", "-c", command + " | openssl dgst -sha256 -binary | openssl base64"])
        #expect(pins.first == "sha256/" + hash.output.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(try await TernTool.run("trust", "pins", "/nowhere.pem").status == 2)
    }

    @Test func `a key without a certificate has the pin that its certificates will have`() async throws {
        let steps = [
            "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out k.pem",
            "openssl pkey -in k.pem -pubout -out k.pub", "openssl pkey -in k.pem -outform der -out k.der",
            "openssl req -new -key k.pem -subj /CN=next -out k.csr",
            "openssl req -in k.csr -outform der -out k.csr.der",
            "openssl req -x509 -key k.pem -subj /CN=next -days 30 -out k.crt",
            "openssl pkey -in k.pem -aes256 -passout pass:x -out k.locked",
        ]
        _ = try await Command.run(["sh", "-ec", "cd '\(folder.url.path)'; " + steps.joined(separator: "; ")])
        let wanted = try await TernTool.run("trust", "pins", "\(folder.url.path)/k.crt").text.prefix { $0 != " " }
        for name in ["k.pem", "k.pub", "k.der", "k.csr", "k.csr.der"] {
            let result = try await TernTool.run("trust", "pins", "\(folder.url.path)/\(name)")
            #expect(result.status == 0 && result.text.prefix { $0 != " " } == wanted, "\(name): \(result.errors)")
        }
        #expect(try await TernTool.run("trust", "pins", "\(folder.url.path)/k.locked").status == 2)
        let policy = try folder.write(
            #"{"pinSets": [{"hosts": ["h.test"], "pins": ["\#(leaf.pin)"], "backupPins": ["\#(wanted)"]}]}"#,
            to: "policy.json")
        func match(_ file: String, _ host: String) async throws -> Int32 {
            try await TernTool.run("trust", "pins", "\(folder.url.path)/\(file)", "--policy", policy, "--host", host)
                .status
        }
        #expect(try await match("k.csr", "h.test") == 0)
        #expect(try await match("k.csr", "other.test") == 1)
        #expect(try await match("roots.pem", "h.test") == 1)
        #expect(try await TernTool.run("trust", "pins", chain, "--policy", policy).status == 2)
    }

    @Test func `a policy file is checked without a chain`() async throws {
        func check(_ text: String, _ more: String...) async throws -> TernTool.Result {
            let file = try folder.write(text, to: "checked.json")
            return try await TernTool.run(["trust", "check", file] + more)
        }
        let (one, two) = (leaf.pin, authority.pin)
        let fine = #"{"pinSets": [{"hosts": ["h.test"], "pins": ["\#(one)"], "backupPins": ["\#(two)"]}]}"#
        let clean = try await check(fine)
        #expect(clean.status == 0 && clean.text == "nothing found in 1 pin set\n", "\(clean.text)\(clean.errors)")
        #expect(try await check(fine, "--json").text == #"{"findings":[],"is_policy":true}"# + "\n")
        let found = try await check(#"{"pinSets": [{"hosts": ["h.test"], "pins": ["\#(one)"]}]}"#)
        #expect(found.status == 1 && found.text.hasPrefix("pinSets[0]: one-pin: only one key"), "\(found.text)")
        let dated =
            #"{"pinSets": [{"hosts": ["h.test"], "pins": ["\#(one)"], "backupPins": ["\#(two)"], "expires": "2040-01-01"}]}"#
        #expect(try await check(dated, "--at", "2039-01-01").status == 0)
        #expect(try await check(dated, "--at", "2040-01-01T00:00:00Z").text.contains("pinSets[0]: expired: "))
        #expect(try await check(dated, "--at", "soon").status == 2)
        let broken = try await check("{\n \"pinSets\": [{\"hosts\": [\"*\"], \"pins\": []}]}", "--json")
        #expect(broken.status == 2)
        #expect(broken.text.contains(#""line":2"#) && broken.text.contains(#""is_policy":false"#), "\(broken.text)")
        #expect(broken.errors.contains("line 2, column 25, pinSets[0].hosts[0]"), "\(broken.errors)")
        #expect(try await TernTool.run("trust", "check", "/nowhere.json").status == 2)
    }

    @Test func `servers are watched for what will be refused before long`() async throws {
        let server = try await NginxServer()
        let roots = try folder.write(server.authority.certificatePEM, to: "nginx.pem")
        func watch(_ more: String...) async throws -> TernTool.Result {
            try await TernTool.run(["trust", "watch", server.secureURL(), "--anchors", roots] + more)
        }
        let quiet = try await watch("--expires-within", "0d")
        #expect(quiet.status == 0 && quiet.text.isEmpty, "\(quiet.text)\(quiet.errors)")
        // Two thirds of their time are not over.
        #expect(try await watch().status == 0)
        let soon = try await watch("https://127.0.0.1:1/", "--expires-within", "99999", "--json")
        #expect(soon.status == 1)
        let findings = try soon.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        }
        #expect(findings.map { $0["rule"] } == ["expires-soon", "issuer-expires-soon", "unreachable"], "\(soon.text)")
        #expect(findings.map { $0["expires"] != nil } == [true, true, false])
        let refused = try await TernTool.run("trust", "watch", server.secureURL())
        #expect(refused.status == 1 && refused.text.contains(": refused: "), "\(refused.text)")
        let policy = try folder.write(
            #"{"pinSets": [{"hosts": ["localhost"], "pins": ["\#(server.identity.pin)", "\#(leaf.pin)"]}]}"#,
            to: "watched.json")
        let pinned = try await watch("--expires-within", "0", "--policy", policy)
        #expect(pinned.status == 1)
        #expect(pinned.text.contains(": unused-pin: \(leaf.pin)") && pinned.text.contains(": pin-set: no backup pin"))
        let next = try folder.write(
            #"{"pinSets": [{"hosts": ["localhost"], "pins": ["\#(leaf.pin)"], "backupPins": ["\#(authority.pin)"]}]}"#,
            to: "next.json")
        let rehearsed = try await watch("--expires-within", "0", "--rehearse", next)
        #expect(rehearsed.status == 1)
        #expect(rehearsed.text.contains(": rehearsal: would be refused by the policy that is rehearsed"))
        #expect(
            rehearsed.errors.contains("the next policies would refuse 1 of 1 server: localhost"),
            "\(rehearsed.errors)")
        let absent = try await watch("--rehearse", "/nowhere.json")
        #expect(
            absent.status == 2 && absent.errors.contains("--rehearse: cannot read /nowhere.json"), "\(absent.errors)")
        for days in ["-1", "x", "1w", "d", ""] {
            #expect(try await watch("--expires-within", days).status == 2, "\(days)")
        }
        #expect(try await TernTool.run("trust", "watch", "http://localhost/").status == 2)
        #expect(try await TernTool.run("trust", "watch").status == 2)
        #expect(server.accessLog.lines.isEmpty)
    }

    @Test func `a path may be no deeper than is allowed`() async throws {
        #expect(try await evaluate("--host", "example.com", "--max-path-depth", "1").status == 0)
        let deep = try await evaluate("--host", "example.com", "--max-path-depth", "0")
        #expect(deep.status == 1 && deep.text.hasPrefix("refuse: chain-too-long: "), "\(deep.text)\(deep.errors)")
        for depth in ["-1", "11", "x", "", "+1"] {
            #expect(try await evaluate("--host", "example.com", "--max-path-depth", depth).status == 2, "\(depth)")
        }
        let file = try folder.write(#"{"maxPathDepth": 0, "pinSets": []}"#, to: "depth.json")
        #expect(try await evaluate("--host", "example.com", "--policy", file).text.hasPrefix("refuse: chain-too-long"))
        #expect(
            try await evaluate("--host", "example.com", "--policy", file, "--max-path-depth", "2").status == 0,
            "the command line takes precedence")
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("fine")] }
        let fetched = try await TernTool.run(
            "get", "https://example.com:\(origin.port)/", "--resolve", "example.com:\(origin.port):127.0.0.1",
            "--cacert",
            anchors, "--policy", file)
        #expect(fetched.status != 0 && fetched.errors.contains("the chain is too long"), "\(fetched.errors)")
        #expect(origin.observations.requestCount == 0)
    }

    @Test func `explain says everything as an object, too`() async throws {
        func explain(_ more: String...) async throws -> (status: Int32, object: [String: Any]) {
            let result = try await TernTool.run(
                ["trust", "explain", "--json", "--chain", chain, "--anchors", anchors] + more)
            return (result.status, try result.object())
        }
        let accepted = try await explain("--host", "example.com")
        #expect(accepted.status == 0 && accepted.object["verdict"] as? String == "accept")
        #expect(accepted.object["advice"] is NSNull)
        #expect((accepted.object["certificates"] as? [Any])?.count == 3)
        let refused = try await explain("--host", "example.org")
        #expect(refused.status == 1 && refused.object["reason"] as? String == "name-mismatch")
        #expect((refused.object["advice"] as? String)?.hasPrefix("Request one of the certificate's names") == true)
        let pinned = try await explain("--host", "example.com", "--pin", try CertificateAuthority().pin)
        #expect((pinned.object["wanted_pins"] as? [Any])?.count == 1)
        #expect((pinned.object["advice"] as? String)?.contains("attacker") == true)
    }

    @Test func `a server is watched for its staple`() async throws {
        let demanding = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("tlsfeature", "status_request")]))
        let named = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("authorityInfoAccess", "OCSP;URI:http://127.0.0.1:1/")]))
        func watch(_ identity: Identity, _ staple: [UInt8]? = nil, _ more: String...) async throws -> TernTool.Result {
            let arguments =
                try staple.map { ["-status_file", try folder.write(Data($0), to: "response.der")] } ?? []
            let server = try await OpenSSLServer(.tls13, identity: identity, arguments: arguments)
            return try await TernTool.run(
                ["trust", "watch", "https://localhost:\(server.port)/", "--anchors", anchors, "--expires-within", "0"]
                    + more)
        }
        let missing = try await watch(demanding)
        #expect(missing.status == 1 && missing.text.contains(": missing-staple: "), "\(missing.text)\(missing.errors)")
        let good = try authority.ocspResponse(about: demanding, .good)
        #expect(try await watch(demanding, good, "--stapling").status == 0)
        #expect(try await watch(named).status == 0)
        let absent = try await watch(named, nil, "--stapling")
        #expect(absent.status == 1 && absent.text.contains(": no-staple: "), "\(absent.text)\(absent.errors)")
        let unnamed = try await watch(authority.issue(), nil, "--stapling")
        #expect(unnamed.status == 0, "a responder is not known: \(unnamed.text)\(unnamed.errors)")
    }

    @Test func `-v shows the server's certificate, and the policy that accepts it`() async throws {
        let server = try await NginxServer()
        let roots = try folder.write(server.authority.certificatePEM, to: "nginx.pem")
        let trusted = try await TernTool.run("-v", server.secureURL(), "--cacert", roots)
        for line in ["* Server certificate:", "*  expire date: 2", "*  issuer: ", "*  SSL certificate verify ok."] {
            #expect(trusted.errors.contains(line), "\(trusted.errors)")
        }
        let negotiated = trusted.errors.split(separator: "\n").first { $0.hasPrefix("* SSL connection using ") }
        let parts = try #require(negotiated).dropFirst("* SSL connection using ".count).split(separator: " / ")
        #expect(parts.count == 4 && parts.first == "TLSv1.3" && parts.last == "id-ecPublicKey", "\(parts)")
        let skipped = try await TernTool.run("-v", server.secureURL(), "-k")
        #expect(skipped.errors.contains("*  SSL certificate verification was skipped."), "\(skipped.errors)")
    }

    @Test func `a policy file pins what a command fetches`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] }
        let url = "https://example.com:\(origin.port)/"
        func get(_ pins: [String], _ more: String...) async throws -> TernTool.Result {
            let list = pins.map { "\"\($0)\"" }.joined(separator: ", ")
            let file = try folder.write(
                #"{"unlistedHosts": "refuse", "pinSets": [{"hosts": ["**.com"], "pins": [\#(list)]}]}"#, to: "get.json")
            return try await TernTool.run(
                [
                    "get", url, "--resolve", "example.com:\(origin.port):127.0.0.1", "--cacert", anchors, "--policy",
                    file,
                ] + more)
        }
        let fine = try await get([authority.pin])
        #expect(fine.status == 0 && fine.text == "ok", "\(fine.errors)")
        let other = try CertificateAuthority().pin
        #expect(try await get([other]).status == 90)
        #expect(try await get([authority.pin], "--pin", authority.pin).status == 2)
        #expect(try await get([authority.pin], "-k").status == 2)
        #expect(try await get(["sha1/x"]).status == 90)
        // With a check of every host, both must accept; nobody has said that the certificate is good.
        #expect(try await get([authority.pin], "--check-revocation").status == 0)
        #expect(try await get([other], "--check-revocation").status == 90)
        #expect(try await get([authority.pin], "--cert-status").status == 91)
        let plain = try await TernTool.run("get", "http://127.0.0.1:1/", "--policy", "\(folder.url.path)/get.json")
        #expect(plain.status == 2 && plain.errors.contains("--policy: this has no effect on an http URL"))
    }

    @Test func `pins of a server are those of its verified chain, the root's included`() async throws {
        let server = try await NginxServer()
        let roots = try folder.write(server.authority.certificatePEM, to: "nginx.pem")
        let verified = try await TernTool.run("trust", "pins", server.secureURL(), "--anchors", roots, "--json")
        #expect(verified.status == 0)
        let entries = try #require(try JSONSerialization.jsonObject(with: verified.output) as? [[String: Any]])
        #expect(entries.map { $0["pin"] as? String } == [server.identity.pin, server.authority.pin])
        let unverified = try await TernTool.run("trust", "pins", server.secureURL())
        #expect(unverified.status == 1)
        #expect(unverified.text.contains(server.identity.pin))
        #expect(unverified.errors.contains("not verified"))
        #expect(server.accessLog.lines.isEmpty)
    }

    @Test func `a server behind a proxy, or without a name, is evaluated like any other`() async throws {
        let server = try await NginxServer()
        let port = server.securePort
        let roots = try folder.write(server.authority.certificatePEM, to: "nginx.pem")
        let proxy = try ScriptedProxy { _ in port }
        let through = try await TernTool.run(
            "trust", "pins", server.secureURL(), "--anchors", roots, "-x", proxy.url())
        #expect(through.status == 0 && through.text.contains(server.identity.pin), "\(through.errors)")
        #expect(proxy.requests.map(\.target) == ["localhost:\(port)"])
        let named = ["https://named.test:\(port)/", "--resolve", "named.test:\(port):127.0.0.1", "--anchors", roots]
        #expect(try await TernTool.run(["trust", "evaluate", "--host", "localhost"] + named).status == 0)
        #expect(try await TernTool.run(["trust", "evaluate"] + named).text.hasPrefix("refuse: name-mismatch: "))
    }

    @Test func `a chain is evaluated by its host, its anchors, its time and its pins`() async throws {
        #expect(try await evaluate("--host", "example.com").status == 0)
        #expect(try await evaluate().status == 0)
        #expect(try await evaluate("--host", "example.org").text.hasPrefix("refuse: name-mismatch: "))
        for time in ["2001-01-01T00:00:00Z", "2001-01-01"] {
            let early = try await evaluate("--host", "example.com", "--at", time)
            #expect(early.status == 1 && early.text.hasPrefix("refuse: not-yet-valid"), "\(early.text)")
        }
        #expect(try await evaluate("--host", "example.com", "--at", "2001-02-30").status == 2)
        #expect(try await evaluate("--host", "example.com", "--pin", authority.pin).status == 0)
        #expect(try await evaluate("--host", "example.com", "--pin", try CertificateAuthority().pin).status == 1)
        let stranger = try await TernTool.run("trust", "evaluate", "--chain", chain, "--host", "example.com")
        #expect(stranger.status == 1)
    }

    @Test func `past every date, the certificate that expired first is named`() async throws {
        let result = try await evaluate("--host", "example.com", "--at", "2999-01-01T00:00:00Z")
        #expect(result.text.hasPrefix("refuse: expired: certificate 0 "), "\(result.text)")
        let brief = try authority.issueIntermediate(AuthorityRequest(commonName: "Brief", validity: .days(-2, to: 9)))
            .issue(LeafRequest(dnsNames: ["example.com"]))
        let file = try folder.write(brief.chainPEM, to: "brief.pem")
        let other = try await TernTool.run(
            "trust", "evaluate", "--chain", file, "--anchors", anchors, "--at", "2999-01-01T00:00:00Z")
        #expect(other.text.hasPrefix("refuse: expired: certificate 1 (CN=Brief"), "\(other.text)")
    }

    @Test func `a policy file is applied by host, warns, and is refused with line and field`() async throws {
        let policy = try folder.write(
            #"{"pinSets":[{"hosts":["example.com"],"pins":["\#(leaf.pin)"]}],"unlistedHosts":"refuse"}"#,
            to: "policy.json")
        let accepted = try await evaluate("--host", "example.com", "--policy", policy)
        #expect(accepted.status == 0)
        #expect(accepted.errors.contains("only one key is pinned"))
        #expect(try await evaluate("--host", "example.org", "--policy", policy).text.contains("no-required-evaluator"))
        let broken = try folder.write("{\n\"pinSets\":[{\"hosts\":[\"example.com\"],\n\"pin\":[]}]}", to: "broken.json")
        let refused = try await evaluate("--host", "example.com", "--policy", broken)
        #expect(refused.status == 2)
        #expect(
            refused.errors.contains(
                "line 3, column 1, pinSets[0].pin: there is no such field; did you mean \"pins\"?"))
    }

    @Test func `a server is evaluated without a request`() async throws {
        let server = try await NginxServer()
        let roots = try folder.write(server.authority.certificatePEM, to: "nginx.pem")
        let url = server.secureURL()
        #expect(try await TernTool.run("trust", "evaluate", url, "--anchors", roots).status == 0)
        #expect(
            try await TernTool.run("trust", "evaluate", url, "--anchors", roots, "--pin", server.identity.pin).status
                == 0)
        #expect(try await TernTool.run("trust", "evaluate", url).status == 1)
        #expect(try await TernTool.run("trust", "evaluate", url, "--anchors", roots, "--host", "a.test").status == 1)
        // If a request had been sent, it would be in the log before this one.
        _ = try await TernTool.run("get", server.url("/ok?last"))
        #expect(await server.accessLog.waitFor { $0.contains { $0.contains("/ok?last") } })
        #expect(server.accessLog.lines.count == 1)
    }

    @Test func `a server that is not there is a failure, not a verdict`() async throws {
        let port = try LoopbackPort.free().number
        let result = try await TernTool.run("trust", "evaluate", "https://localhost:\(port)/")
        #expect(result.status == 1)
        #expect(result.text.isEmpty)
        #expect(result.errors.contains("cannot connect to"))
    }

    @Test(arguments: [
        [], ["http://example.com/"], ["not a url"], ["--chain", "/nowhere.pem"],
        ["--chain", "x", "https://example.com/"],
        ["--chain", "x", "--at", "yesterday"], ["--chain", "x", "--pin", "sha256/x"],
        ["--chain", "x", "--pin", "y", "--policy", "z"], ["--chain", "x", "--policy", "z"], ["--no-such-option"],
    ])
    func `wrong usage exits 2 with a word about it`(arguments: [String]) async throws {
        let result = try await TernTool.run(["trust", "evaluate"] + arguments)
        #expect(result.status == 2)
        #expect(result.text.isEmpty)
        #expect(result.errors.hasPrefix("tern: (2) "))
    }

    @Test func `--json prints every key`() async throws {
        let result = try await evaluate("--host", "example.com", "--pin", try CertificateAuthority().pin, "--json")
        let object = try result.object()
        #expect(result.status == 1)
        #expect(
            Set(object.keys) == [
                "verdict", "reason", "detail", "host", "at", "policy", "openssl", "wanted_pins", "chain", "waived",
                "rehearsals", "fetched_issuers",
                "certificates", "transparency", "advice", "waived", "rehearsals", "fetched_issuers",
            ])
        #expect(object["verdict"] as? String == "refuse")
        #expect(object["reason"] as? String == "key-not-pinned")
        #expect(object["chain"] as? String == "verified")
        let certificates = try #require(object["certificates"] as? [[String: Any]])
        #expect(certificates.map { $0["role"] as? String } == ["leaf", "intermediate", "anchor"])
        #expect(certificates.first?["pin"] as? String == leaf.pin)
        #expect(Set(certificates.map(\.count)) == [19])
    }

    @Test func `an explanation shows each certificate, what is wrong, what is wanted and what to do`() async throws {
        let wanted = try CertificateAuthority().pin
        let result = try await TernTool.run(
            "trust", "explain", "--chain", chain, "--anchors", anchors, "--host", "example.com", "--pin", wanted)
        #expect(result.status == 1)
        for text in [
            "example.com is REFUSED.", "key-not-pinned", leaf.pin, authority.pin, wanted, "do not pin the keys",
        ] {
            #expect(result.text.contains(text))
        }
        let accepted = try await TernTool.run("trust", "explain", "--chain", chain, "--anchors", anchors)
        #expect(accepted.status == 0)
        #expect(accepted.text.contains("Any host is accepted."))
    }
}
