// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Lines that are typed for curl, and what curl does in corners.
@Suite struct CurlHabitTests {
    @Test func `the line that installs rustup runs`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("#!/bin/sh\n")] }
        let folder = try TemporaryFolder()
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let line = ["--proto", "=https", "--tlsv1.2", "-sSf", "--cacert", anchors, origin.url("/")]
        let result = try await TernTool.run(line)
        #expect(result.text == "#!/bin/sh\n" && result.status == 0, "\(result.errors)")
        let plain = try await TernTool.run("--proto", "=https", "-sSf", "http://127.0.0.1:1/")
        #expect(plain.status == 1)
        #expect(plain.errors == "tern: (1) \"http://127.0.0.1:1/\": --proto does not allow http\n")
    }

    @Test(arguments: [["-L"], ["download", "-o", "/dev/null"]])
    func `--proto-redir stops a redirect before it is followed`(command: [String]) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 302, fields: [("Location", "/b")])] }
        let result = try await TernTool.run(command + ["--proto-redir", "=https", origin.url("/a")])
        #expect(result.status == 1)
        #expect(result.errors.contains("the redirect leads to http, which"), "\(result.errors)")
        #expect(origin.requests.count == 1)
    }

    @Test func `options that say what tern does anyway are accepted`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let result = try await TernTool.run(
            "--http1.1", "-N", "-#", "--no-progress-meter", "-q", "--basic", "--tls-max", "1.3", "--url",
            origin.url("/1"), origin.url("/2"))
        #expect(result.text == "/1/2" && result.status == 0, "\(result.errors)")
    }

    @Test func `--tls-max and --tlsv1.3 bound the version`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        for (version, refused, taken) in [
            (OpenSSLServer.Version.tls12, ["--tlsv1.3"], ["--tls-max", "1.2"]),
            (.tls13, ["--tls-max", "1.2"], ["--tlsv1.3"]),
        ] {
            let server = try await OpenSSLServer(version, identity: identity)
            #expect(try await TernTool.run(["-ks", server.url()] + taken).status == 0)
            #expect(try await TernTool.run(["-ks", server.url()] + refused).status == 35)
        }
    }

    @Test func `files go into the folder of --output-dir, which --create-dirs makes`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let folder = try TemporaryFolder()
        let new = folder.url.appending(path: "a/b")
        let missing = try await TernTool.run("--output-dir", new.path, "-O", origin.url("/x"))
        #expect(missing.status == 23)
        let result = try await TernTool.run(
            "--create-dirs", "--output-dir", new.path, "-O", "--remote-name", origin.url("/x"), origin.url("/y"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOf: new.appending(path: "y"), encoding: .utf8) == "/y")
    }

    @Test func `-r asks for a part`() async throws {
        let server = try await NginxServer(files: ["file.bin": Data("0123456789".utf8)])
        #expect(try await TernTool.run("-r", "2-4", server.url("/file.bin")).text == "234")
        #expect(try await TernTool.run("-r-2", server.url("/file.bin")).text == "89")
    }

    @Test func `an upload is chunked if its header field says so`() async throws {
        let origin = try EchoOrigin.start()
        let folder = try TemporaryFolder()
        let file = try folder.write("hello", to: "file")
        let result = try await TernTool.run(
            "-T", file, "-H", "Transfer-Encoding: chunked", "-H", "Expect:", origin.url("/x"))
        #expect(result.status == 0, "\(result.errors)")
        let request = try #require(origin.requests.first)
        #expect(request.value(of: "Transfer-Encoding") == "chunked" && request.value(of: "Content-Length") == nil)
        #expect(request.body == Array("hello".utf8))
    }

    @Test func `two Location fields that differ are refused`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let second = request.target == "/same" ? "/b" : "/c"
            return [.respond(status: 302, fields: [("Location", "/b"), ("Location", second)])]
        }
        #expect(try await TernTool.run(origin.url("/same")).status == 0)
        #expect(try await TernTool.run(origin.url("/different")).status == 8)
        #expect(try await TernTool.run("-L", origin.url("/different")).status == 8)
    }

    @Test func `a coding that --compressed does not know is refused, and written as it is without`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Encoding", "compress")], body: "xyz")] }
        let refused = try await TernTool.run("--compressed", origin.url("/"))
        #expect(refused.status == 61 && refused.text.isEmpty)
        #expect(refused.errors == "tern: (61) the body's coding compress is unknown\n")
        #expect(try await TernTool.run(origin.url("/")).text == "xyz")
    }

    @Test func `a refused connection is asked again with --retry-connrefused`() async throws {
        let port = try LoopbackPort.free().number
        let line = ["--retry", "2", "--retry-delay", "0.01", "http://127.0.0.1:\(port)/"]
        #expect(try await TernTool.run(line).errors.split(separator: "\n").count == 1)
        let result = try await TernTool.run(["--retry-connrefused"] + line)
        // As in curl, an error for each attempt.
        let warnings = [2, 1].map {
            "Warning: Problem : connection refused. Will retry in 0.01 seconds. \($0) retries left."
        }
        let lines = result.errors.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("Warning") } == warnings, "\(result.errors)")
        #expect(lines.filter { $0.hasPrefix("tern: (7) ") }.count == 3, "\(result.errors)")
        #expect(result.status == 7)
    }

    @Test func `--retry-all-errors asks again after a lost connection and, with -f, after any refused status`()
        async throws
    {
        let count = AttemptCount()
        let origin = try ScriptedOrigin { _, _ in
            switch count.next() {
            case 1: [.close]
            case 2: [.respond(status: 404)]
            default: [.ok("yes")]
            }
        }
        let line = ["-sf", "--retry", "2", "--retry-delay", "0.01", "--retry-all-errors", origin.url("/")]
        #expect(try await TernTool.run(line).text == "yes")
    }

    @Test func `-w tells the last status after too many redirects`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 302, fields: [("Location", "/again")])] }
        let result = try await TernTool.run("-sL", "--max-redirs", "1", "-w", "%{http_code}", origin.url("/"))
        #expect(result.text == "302" && result.status == 47)
    }

    @Test(
        "-w tells the size of the last body as it was received",
        arguments: ["/announced", "/chunked", "/closed", "/redirected"])
    func downloadSize(path: String) async throws {
        let body = [UInt8](Data(base64Encoded: "H4sIAAAAAAACA0tMpD0AAGR6cK9kAAAA") ?? Data())
        let origin = try ScriptedOrigin { _, request in
            let coding = ("Content-Encoding", "gzip")
            switch request.target {
            case "/redirected": return [.respond(status: 302, fields: [("Location", "/chunked"), coding], body: body)]
            case "/announced": return [.respond(fields: [coding], body: body)]
            case "/chunked":
                let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                let first = Array("a\r\n".utf8) + body[..<10] + Array("\r\n".utf8)
                let second = Array("e\r\n".utf8) + body[10...] + Array("\r\n".utf8)
                return [.send(Array(head.utf8) + first + second + Array("0\r\n\r\n".utf8))]
            default:
                return [.send(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + body), .close]
            }
        }
        let line = ["-sLo", "/dev/null", "--compressed", "-w", "%{size_download}", origin.url(path)]
        #expect(try await TernTool.run(line).text == "24")
    }

    @Test func `-k over plain http is no error`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        let result = try await TernTool.run("-k", origin.url("/"))
        #expect(result.text == "fine" && result.errors.isEmpty)
    }

    @Test(
        "pins and algorithms end curl and tern with the same code",
        arguments: [
            ("--pinnedpubkey sha256//PIN", 0), ("--pinnedpubkey sha256//WRONG", 90),
            ("--pinnedpubkey 'sha256//WRONG;sha256//PIN'", 0), ("-k --pinnedpubkey sha256//WRONG", 90),
            ("-k --pinnedpubkey sha256//PIN", 0), ("--pinnedpubkey KEYFILE", 0), ("--pinnedpubkey /nowhere", 90),
            ("--ciphers nonsense", 59), ("--tls13-ciphers nonsense", 59), ("--curves nonsense", 59),
            ("--ciphers ECDHE+AESGCM --tls13-ciphers TLS_AES_128_GCM_SHA256 --curves X25519:P-256", 0),
            ("--crlfile /nowhere", 82), ("--crlfile LIST", 0), ("--capath FOLDER", 0),
        ])
    func trust(arguments: String, status: Int32) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("here\n")] }
        let folder = try TemporaryFolder()
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let leaf = try folder.write(identity.chainPEM, to: "leaf.pem")
        let key = try await Command.run(["openssl", "x509", "-in", leaf, "-noout", "-pubkey"]).output
        let list = try folder.write(Data(authority.revocationList(revoking: [])), to: "list.der")
        _ = try await Command.run(["openssl", "crl", "-inform", "DER", "-in", list, "-out", list + ".pem"])
        _ = try await Command.run(["openssl", "rehash", folder.url.path])
        let wrong = try CertificateAuthority().pin
        let line =
            arguments.replacing("PIN", with: identity.pin.dropFirst(7)).replacing("WRONG", with: wrong.dropFirst(7))
            .replacing("KEYFILE", with: try folder.write(key, to: "key.pem")).replacing("LIST", with: list + ".pem")
            .replacing("FOLDER", with: folder.url.path)
        let isAlone = arguments.contains("-k") || arguments.contains("--capath")
        let shell = " -sS --max-time 10 \(isAlone ? "" : "--cacert \(anchors) ")\(line) \(origin.url("/"))"
        let curl = try await Command.run(["sh", "-c", "curl" + shell])
        let tern = try await Command.run(
            ["sh", "-c", #""$0""# + shell, TernTool.executable.path], environment: TernTool.environment)
        #expect(curl.status == status, "\(curl.errors)")
        #expect(tern.status == status, "\(tern.errors)")
        #expect(tern.output == curl.output)
    }

    @Test(
        "a client's certificate is read as curl reads it, in each encoding",
        arguments: [
            ("--cert cert.pem --key key.pem", 0), ("--cert cert.pem --key locked.pem --pass secret", 0),
            ("--cert cert.pem:secret --key locked.pem", 0), ("--cert cert.pem --key locked.pem --pass wrong", 58),
            ("--cert cert.der --cert-type DER --key key.der --key-type DER", 0),
            ("--cert cert.der --cert-type der --key key.pem", 0), ("--cert cert.der --key key.pem", 58),
            ("--cert identity --cert-type P12 --pass secret", 0), ("--cert identity:wrong --cert-type P12", 58),
            ("--cert cert.pem --key key.der", 58),
        ])
    func clientCertificate(arguments: String, status: Int32) async throws {
        let authority = try CertificateAuthority()
        let (server, client) = (try authority.issue(), try authority.issue())
        let folder = try TemporaryFolder()
        try folder.write(client.chainPEM, to: "cert.pem")
        try folder.write(client.privateKeyPEM, to: "key.pem")
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let conversions = """
            openssl pkcs8 -topk8 -in key.pem -out locked.pem -passout pass:secret
            openssl pkey -in key.pem -outform DER -out key.der
            openssl x509 -in cert.pem -outform DER -out cert.der
            openssl pkcs12 -export -in cert.pem -inkey key.pem -passout pass:secret -out identity
            """
        let converted = try await Command.run(["sh", "-ec", "cd \(folder.url.path)\n\(conversions)"])
        #expect(converted.status == 0, "\(converted.errors)")
        let host = try await OpenSSLServer(
            .tls12, identity: server, arguments: ["-Verify", "1", "-CAfile", anchors])
        let shell = " -sS --max-time 10 -o /dev/null --cacert ca.pem \(arguments) \(host.url())"
        for program in ["curl", try TernTool.executable.path] {
            let result = try await Command.run(
                ["sh", "-c", #"cd "$1" && "$0""# + shell, program, folder.url.path], environment: TernTool.environment)
            #expect(result.status == status, "\(program): \(result.errors)")
        }
    }
}
