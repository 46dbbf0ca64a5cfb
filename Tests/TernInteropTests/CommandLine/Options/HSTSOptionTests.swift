// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Hosts that are requested over TLS only, with curl as the other reader and writer of the file.
@Suite(.timeLimit(.minutes(1))) struct HSTSOptionTests {
    private let folder: TemporaryFolder
    private let authority: String
    private let origin: ScriptedOrigin

    init() throws {
        folder = try TemporaryFolder()
        let root = try CertificateAuthority()
        authority = try folder.write(root.certificatePEM, to: "root.pem")
        origin = try ScriptedOrigin(tls: try root.issue()) { _, request in
            let fields = request.target == "/wide" ? "max-age=1000; includeSubDomains" : "max-age=1000"
            return [
                .respond(
                    fields: request.target == "/silent" ? [] : [("Strict-Transport-Security", fields)], body: "secure")
            ]
        }
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func content(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    private func tern(_ arguments: String...) async throws -> TernTool.Result {
        try await TernTool.run(["request", "-sS", "--cacert", authority] + arguments)
    }

    private func url(_ scheme: String, _ path: String = "/") -> String { "\(scheme)://localhost:\(origin.port)\(path)" }

    @Test func `each of both reads what the other has written`() async throws {
        for target in ["/", "/wide"] {
            let (ours, theirs) = ("ours\(target.count)", "theirs\(target.count)")
            #expect(try await tern("--hsts", path(ours), url("https", target)).text == "secure")
            _ = try await curl("--cacert", authority, "--hsts", path(theirs), url("https", target))
            let lines = try [ours, theirs].map { name in
                try content(name).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
                    $0.split(separator: " ")[0]
                }
            }
            #expect(lines[0] == lines[1] && lines[0] == [target == "/" ? "localhost" : ".localhost"])
            for name in [ours, theirs] {
                #expect(try await tern("--hsts", path(name), url("http", "/silent")).text == "secure")
                #expect(try await curl("--cacert", authority, "--hsts", path(name), url("http", "/silent")) == "secure")
            }
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path("ours1"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `hosts live for one run without a name of a file, and the next URL profits`() async throws {
        let result = try await tern("--hsts", "", url("https"), url("http", "/silent"))
        #expect(result.text == "securesecure" && result.status == 0, "\(result.errors)")
        #expect(try await tern(url("http", "/silent")).status != 0)
    }

    @Test func `what happened is told`() async throws {
        try folder.write("# mine\nodd\nlocalhost \"unlimited\"\n", to: "hsts")
        let url = url("http", "/silent")
        let result = try await TernTool.run(
            "request", "-v", "--cacert", authority, "--hsts", path("hsts"), "-w", "%{url_effective}", url)
        let secure = self.url("https", "/silent")
        #expect(result.text == "secure" + secure)
        #expect(result.errors.contains("* Switched from HTTP to HTTPS due to HSTS => \(secure)\n"), "\(result.errors)")
        #expect(result.errors.contains("tern: --hsts: a line of \(path("hsts")) skipped: no host (line 2)"))
        #expect(try content("hsts") == "# mine\nodd\nlocalhost \"unlimited\"\n")
    }

    @Test func `a redirect to http leads to https, and is told`() async throws {
        let port = origin.port
        let away = try ScriptedOrigin { _, _ in
            [.respond(status: 302, fields: [("Location", "http://localhost:\(port)/silent")])]
        }
        try folder.write("localhost \"unlimited\"\n", to: "hsts")
        let arguments = ["-L", "--cacert", authority, "--hsts", path("hsts"), "http://127.0.0.1:\(away.port)/"]
        let result = try await TernTool.run(["request", "-v"] + arguments)
        #expect(result.text == "secure")
        #expect(
            result.errors.contains("* Switched from HTTP to HTTPS due to HSTS => https://localhost:\(port)/silent\n"))
        #expect(try await curl(arguments) == "secure")
    }

    @Test func `a file that cannot be read fails before a request, and one that cannot be written after it`()
        async throws
    {
        let unreadable = try await tern("--hsts", folder.url.path, url("https"))
        #expect(unreadable.status == 26 && unreadable.errors.contains("--hsts"))
        #expect(origin.requests.isEmpty)
        let unwritable = try await tern("--hsts", path("none/hsts"), url("https"))
        #expect(unwritable.status == 23 && unwritable.text == "secure" && unwritable.errors.contains("--hsts"))
    }

    @Test func `a device is empty, a pipe is read, and neither is written`() async throws {
        #expect(try await tern("--hsts", "/dev/null", url("https")).text == "secure")
        let result = try await Command.run(
            [
                "bash", "-c", "\"$0\" -sS --cacert \"$1\" --hsts <(printf 'localhost \"unlimited\"\\n') \"$2\"",
                try TernTool.executable.path, authority, url("http", "/silent"),
            ], environment: TernTool.environment)
        #expect(result.status == 0 && result.output == "secure", "\(result.errors)")
        let endless = try await tern("--hsts", "/dev/zero", url("https"))
        #expect(endless.status == 26 && endless.errors.contains("longer than 16 MB"), "\(endless.errors)")
    }

    @Test func `downloads have it, too`() async throws {
        try folder.write("localhost \"unlimited\"\n", to: "hsts")
        let result = try await TernTool.run(
            "download", "-s", "--cacert", authority, "--hsts", path("hsts"), "-o", path("file"), url("http", "/wide"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try content("file") == "secure")
        #expect(try content("hsts").contains("\n.localhost \"2"))
    }
}
