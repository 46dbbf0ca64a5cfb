// SPDX-License-Identifier: Apache-2.0
import TernTesting
import TestPrograms
import Testing

/// `--resolve`, `--connect-to`, `-4` and `-6`, beside curl.
@Suite struct NameOptionsTests {
    private func words(_ options: String, _ origin: ScriptedOrigin) -> [String] {
        let options = options.replacing("PORT", with: "\(origin.port)").split(separator: " ").map(String.init)
        return ["-o", "/dev/null", "-w", "%{http_code} %{remote_ip} %{remote_port}"] + options
    }

    @Test(arguments: [
        "--resolve A.TEST:PORT:127.0.0.1 http://a.test:PORT/",
        "--resolve *:PORT:127.0.0.2 --resolve a.test:PORT:127.0.0.3,127.0.0.1 http://a.test:PORT/",
        "--resolve a.test:PORT:127.0.0.1 --resolve a.test:PORT:127.0.0.2 http://a.test:PORT/",
        "--resolve a.test:PORT:127.0.0.2 --resolve +a.test:PORT:[::1],127.0.0.1 http://a.test:PORT/",
        "--resolve a.test:PORT:127.0.0.1 --resolve -a.test:PORT http://a.test:PORT/",
        "--resolve *:PORT:127.0.0.1 --resolve -a.test:PORT http://a.test:PORT/",
        "--resolve *:PORT:127.0.0.1 http://192.0.2.1:PORT/",
        "--resolve localhost:PORT:127.0.0.9 http://localhost:PORT/",
        "-6 --resolve a.test:PORT:127.0.0.1 http://a.test:PORT/", "-4 --resolve a.test:PORT:::1 http://a.test:PORT/",
        "-6 http://127.0.0.1:PORT/", "-4 http://[::1]:PORT/", "-6 -4 http://localhost:PORT/",
        "-46 http://localhost:PORT/",
        "--connect-to a.test:80:127.0.0.1:PORT http://A.test/", "--connect-to :::PORT http://127.0.0.1/",
        "--connect-to a.test:PORT:127.0.0.1 http://a.test:PORT/",
        "--connect-to a.test:80:127.0.0.2:PORT --connect-to ::127.0.0.1:PORT http://a.test/",
        "--connect-to a.test:80:b.test:PORT --resolve b.test:PORT:127.0.0.1 http://a.test/",
        "--connect-to [::1]:80:127.0.0.1:PORT http://[::1]/", "--connect-to a.test:80:127.0.0.1:x http://a.test/",
        "--resolve a.test:80:x http://a.test/", "--resolve a.test:80 http://a.test/",
    ])
    func `the options do what they do in curl`(options: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let words = words(options, origin)
        async let other = Command.run(["curl", "-s", "--max-time", "10"] + words)
        let result = try await TernTool.run(["get", "-s"] + words)
        let expected = try await other
        #expect(result.status == expected.status, "\(result.errors)")
        if result.status == 0 { #expect(result.text == expected.output) }
    }

    @Test func `-v says what the options do, in curl's words`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let options = "-v --connect-to a.test:80:b.test:PORT --resolve b.test:PORT:127.0.0.1 http://a.test/"
        let words = words(options, origin)
        let lines = try await TernTool.run(["get"] + words).errors.split(separator: "\n")
        let others = try await Command.run(["curl", "-s"] + words).errors.split(separator: "\n")
        let expected = [
            "* Connecting to hostname: b.test", "* Connecting to port: \(origin.port)",
            "* Hostname b.test was found in DNS cache",
        ]
        for line in expected { #expect(lines.contains(line[...]) && others.contains(line[...]), "\(line)") }
        #expect(lines.contains("> Host: a.test"))
    }

    @Test func `an option that cannot be read is named with the part`() async throws {
        for (options, message) in [
            ("--resolve a.test:80:x", "--resolve a.test:80:x: x: no IP address"),
            ("--resolve a.test:0:::1", "--resolve a.test:0:::1: 0: no port from 1 to 65535"),
            ("--connect-to a.test:80", "--connect-to a.test:80: a.test:80: a part is missing"),
        ] {
            let result = try await TernTool.run(
                ["get", "http://a.test/"] + options.split(separator: " ").map(String.init))
            #expect(result.status == 49)
            #expect(result.errors.hasPrefix("tern: (49) \(message)"), "\(result.errors)")
        }
    }
}
