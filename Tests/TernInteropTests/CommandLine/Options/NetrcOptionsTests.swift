// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Passwords of netrc files, with curl as the other reader.
@Suite(.timeLimit(.minutes(1))) struct NetrcOptionsTests {
    /// Runs a script in a folder with the file `netrc`, once with curl and once with tern as `$GET`, and `$URL` for an
    /// origin that answers with the name and the password it got.
    private func results(
        _ netrc: String, _ script: String, mode: Int = 0o600
    ) async throws -> (curl: Command.Result, tern: Command.Result) {
        let folder = try TemporaryFolder()
        for name in ["netrc", ".netrc"] {
            let path = try folder.write(netrc, to: name)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let other = try ScriptedOrigin { _, request in [.ok(Self.credential(of: request) + "\n")] }
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/away" {
                return [.respond(status: 302, fields: [("Location", "http://localhost:\(other.port)/")])]
            }
            return [.ok(Self.credential(of: request) + "\n")]
        }
        let settings = [
            "HOME=" + folder.url.path, "SERVER=127.0.0.1:\(origin.port)", "URL=http://127.0.0.1:\(origin.port)",
            "TERN=" + (try TernTool.executable.path),
        ]
        let run = { (command: String) in
            try await Command.run(
                ["env", "-C", folder.url.path] + settings + ["GET=" + command, "bash", "-c", script],
                environment: TernTool.environment)
        }
        return (try await run("curl -sS"), try await run(try TernTool.executable.path + " request -sS"))
    }

    private static func credential(of request: ReceivedRequest) -> String {
        guard let field = request.value(of: "Authorization") else { return "none" }
        guard field.hasPrefix("Basic "), let bytes = Data(base64Encoded: String(field.dropFirst(6))) else {
            return field
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        "machine 127.0.0.1 login a password b", "machine 127.0.0.1\nlogin a\n# c\npassword b#c\n",
        #"machine 127.0.0.1 login "a x" password "b c\"d\\""#, "machine 127.0.0.1 login a # c\npassword b",
        "machine 127.0.0.1 login a", "machine 127.0.0.1 password b", "machine x.test login a password b",
        "default login d password e\nmachine 127.0.0.1 login a password b",
        "machine x.test login a password b\ndefault login d password e",
        "macdef init\nmachine 127.0.0.1 login x password y\n\nmachine 127.0.0.1 login a password b",
        "machine 127.0.0.1 login a\nmachine 127.0.0.1 login c password d",
        "machine 127.0.0.1 login a password b\nmachine 127.0.0.1 login c password d",
        "MACHINE 127.0.0.1 LOGIN a PASSWORD b", "machine 127.0.0.1 foo bar login a password b",
        "machine 127.0.0.1 login \"\" password b", "machine 127.0.0.1 login a password b account c",
        "machine 127.0.0.1 login \u{E9} password \u{20AC}",
    ])
    func `a file means what it means in curl`(netrc: String) async throws {
        let (curl, tern) = try await results(netrc, "$GET --netrc-file netrc $URL; $GET -n $URL")
        #expect(curl.status == 0 && tern.status == 0, "\(curl.errors) \(tern.errors)")
        #expect(tern.output == curl.output)
    }

    private static let two =
        "machine 127.0.0.1 login a password b\nmachine 127.0.0.1 login c password d\n"
        + "machine localhost login l password p\n"

    @Test(arguments: [
        "$GET -n http://c@$SERVER", "$GET -n http://a:@$SERVER", "$GET -n http://a:x@$SERVER",
        "$GET --netrc-optional http://a:x@$SERVER", "$GET --netrc-optional http://c@$SERVER",
        "$GET -n --netrc-optional http://a:x@$SERVER", "$GET --netrc-file netrc --netrc-optional http://z:x@$SERVER",
        "$GET -n -u q:r $URL", "$GET --netrc-optional -u q:r $URL", "$GET -n -H 'Authorization: X y' $URL",
        "$GET -n -H Authorization: $URL", "$GET -n --oauth2-bearer token $URL", "$GET -n $URL $URL/2",
        "$GET -nL $URL/away", "$GET -nL -u q:r $URL/away", "$GET -nL -H 'Authorization: X y' $URL/away",
        "rm .netrc; $GET --netrc-optional $URL", "$GET $URL", "$GET --netrc-file <(cat netrc) $URL",
        "$GET -n --basic $URL", "printf 'netrc\\nurl = %s' $URL > k; $GET -K k",
    ])
    func `names and passwords come from where curl has them`(script: String) async throws {
        let (curl, tern) = try await results(Self.two, script)
        #expect(curl.status == 0 && tern.status == 0, "\(curl.errors) \(tern.errors)")
        #expect(tern.output == curl.output)
    }

    @Test(arguments: [
        ("printf 'machine 127.0.0.1 password #b' > .netrc; $GET -n $URL", ":#b\n"),
        ("$GET -n http://nobody@$SERVER", "nobody:\n"), ("$GET -n http://nobody:pw@$SERVER", "nobody:pw\n"),
        (
            "printf 'machine 127.0.0.1 password p\nmachine 127.0.0.1 password q login c\ndefault login z password y' > .netrc; "
                + "$GET -n http://x@$SERVER http://c@$SERVER http://z@$SERVER", "x:p\nc:q\nz:y\n"
        ),
        ("NETRC=netrc HOME=/nowhere $GET -n $URL", "a:b\n"), ("NETRC= $GET -n $URL", "a:b\n"),
        ("$TERN events --netrc-file netrc $URL; $TERN download -s -n $URL -o f; cat f", "a:b\n"),
    ])
    func `what newer releases of curl have is had`(script: String, output: String) async throws {
        let (_, tern) = try await results(Self.two, script)
        #expect(tern.output.hasSuffix(output), "\(tern.output) \(tern.errors)")
    }

    @Test(arguments: ["-n", "--netrc-optional", "--netrc-file netrc"])
    func `a file that others may read is read as by curl, and told with its mode`(option: String) async throws {
        let (curl, silent) = try await results(Self.two, "$GET \(option) $URL", mode: 0o640)
        #expect(silent.output == curl.output && silent.status == 0 && silent.errors.isEmpty)
        let (_, tern) = try await results(Self.two, "$TERN request \(option) $URL", mode: 0o640)
        #expect(tern.status == 0 && tern.output == "a:b\n")
        #expect(tern.errors.contains("whose mode is 640: make it 600"), "\(tern.errors)")
        #expect(!tern.errors.contains("password b"))
    }

    @Test(arguments: ["rm .netrc; $GET -n $URL", "$GET --netrc-file none $URL"])
    func `without a file the command fails, unless it is optional`(script: String) async throws {
        let (_, tern) = try await results(Self.two, script)
        #expect(tern.status == 26 && tern.output.isEmpty && tern.errors.contains("there is no file"), "\(tern.errors)")
    }

    @Test func `an odd line is told with its number, and the others count`() async throws {
        let netrc = "machine 127.0.0.1 login a password b c\nmachine x.test \"\n"
        let (_, loud) = try await results(netrc, "$TERN request --no-progress-meter -n $URL")
        #expect(loud.output == "a:b\n" && loud.errors.contains(".netrc, line 1: ") && loud.errors.contains("line 2: "))
        let (_, silent) = try await results(netrc, "$GET -n $URL")
        #expect(silent.output == "a:b\n" && silent.errors.isEmpty)
    }

    @Test(arguments: ["--digest", "--anyauth"])
    func `a password answers Digest`(option: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            guard let field = request.value(of: "Authorization"), field.hasPrefix("Digest ") else {
                return [
                    .respond(status: 401, fields: [("WWW-Authenticate", "Digest realm=\"r\", qop=auth, nonce=\"n\"")])
                ]
            }
            return [.ok(field.contains("username=\"a\"") ? "in" : "out")]
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.two, to: "netrc")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let url = "http://127.0.0.1:\(origin.port)/"
        #expect(try await TernTool.run("get", "-sS", option, "--netrc-file", path, url).text == "in")
        #expect(try await curl(option, "--netrc-file", path, url) == "in")
        #expect(origin.requests.map { $0.value(of: "Authorization") == nil } == [true, false, true, false])
    }
}
