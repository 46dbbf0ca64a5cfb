// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct AdviceTests {
    @Test(
        "an option of another command is answered with its name",
        arguments: [
            (["--sha256", "00", "http://a/"], "it is an option of \"tern download\""),
            (["--no-reconnect", "http://a/"], "it is an option of \"tern events\""),
            (["get", "-d", "x", "http://a/"], "it is an option of \"tern post\""),
            (["upload", "-C", "-", "f", "http://a/"], "it is an option of \"tern get\""),
            (["-V", "http://a/"], "\"tern -V\" prints the version"),
        ])
    func advice(arguments: [String], advice: String) async throws {
        let result = try await TernTool.run(arguments)
        #expect(result.status == 2)
        let option = arguments.first { $0.hasPrefix("-") } ?? ""
        #expect(result.errors == "tern: (2) unknown option '\(option)': \(advice)\n")
    }

    @Test func `an option that only curl has is answered with the sentence of its page`() async throws {
        for option in CurlOption.all where option.relation == .absent {
            for name in option.names {
                #expect(Self.advice(name) == "curl's option \(name) is not supported: \(option.text)")
            }
        }
        let result = try await TernTool.run("--ntlm", "http://a/")
        #expect(result.status == 2)
        #expect(result.errors == "tern: (2) \(Self.advice("--ntlm"))\n")
        #expect(Self.advice("--no-xattr") == "curl's option --no-xattr is not supported: leave out --xattr instead")
        #expect(
            Self.advice("--expand-url") == "curl's option --expand-url is not supported: use variables of the shell")
    }

    @Test(
        "a name that is nearly right is completed, and one that is not is left alone",
        arguments: [
            ("--outpt", "--output"), ("--heder", "--header"), ("--data-binry", "--data-binary"),
            ("--retyr", "--retry"), ("--retries", "--retry"), ("--timeout", "--connect-timeout"),
            ("--max-tim", "--max-time"), ("--zzz", nil), ("--dta", "--data"), ("--nonsense", nil),
        ])
    func suggested(option: String, meant: String?) {
        let advice = meant.map { ": did you mean \($0)?" } ?? "; see \"tern request --help\""
        #expect(Self.advice(option) == "unknown option '\(option)'\(advice)")
    }

    private static func advice(_ option: String) -> String {
        Advice.text(
            for: .unknownOption(option), of: RequestCommand.self, path: "tern request",
            among: RootCommand.subcommands)
    }

    @Test func `the way to authenticate is told as it is, and only to commands that do`() async throws {
        let ntlm = try await TernTool.run("--ntlm", "http://127.0.0.1:1/").errors
        for word in ["Basic", "Digest", "bearer tokens"] { #expect(ntlm.contains(word), "\(ntlm)") }
        let bench = try await TernTool.run("bench", "--ntlm", "http://127.0.0.1:1/")
        #expect(bench.errors == "tern: (2) unknown option '--ntlm'; see \"tern bench --help\"\n")
    }

    @Test func `--json with only a URL is answered with what it sends, and what prints JSON`() async throws {
        let result = try await TernTool.run("--json", "http://127.0.0.1:1/")
        #expect(result.status == 2)
        #expect(result.errors.contains("--report-json prints the response as JSON"), "\(result.errors)")
    }

    @Test(
        "a mistake is answered with what it is",
        arguments: [
            ("upload http://127.0.0.1:1/", 2, "a file and a URL are needed: tern upload FILE URL"),
            ("upload nosuch http://127.0.0.1:1/", 26, "(26) cannot read nosuch: No such file or directory"),
            ("-F a=@nosuch http://127.0.0.1:1/", 26, "-F: cannot read nosuch: No such file or directory"),
            ("upload / http://127.0.0.1:1/", 26, "(26) / is a folder"),
            ("--retry -1 http://a/", 2, "--retry: \"-1\" is no number from 0 on"),
            ("-m -1 http://a/", 2, "-m: \"-1\" is no number from 0 on"),
            ("--egress publc http://a/", 2, "\"publc\" is none of public, machine, none; did you mean public?"),
            (
                "--lenient bare-lf, http://a/", 2,
                "\"bare-lf,\" is none of bare-lf, chunked-http10; did you mean bare-lf?"
            ),
            ("--cert-type PME http://a/", 2, "\"PME\" is none of PEM, DER, P12; did you mean PEM?"),
            ("trust evalute", 2, "no such command: 'evalute': did you mean \"tern trust evaluate\"?"),
            ("trust evaluate --batch /nosuch", 2, "--batch: cannot read /nosuch: No such file or directory"),
            ("trust pins example.test", 2, "there is no file example.test; for a server, give https://example.test"),
            ("trust pins localhost:1", 1, "cannot connect to"),
            ("help donwload", 2, "is named \"donwload\"; did you mean \"download\"?"),
            ("get --help trst", 2, "no option or category of help is named \"trst\"; did you mean \"trust\"?"),
            ("donwload http://127.0.0.1:1/", 7, "donwload is no command, and was requested as a URL: did you mean"),
        ])
    func mistake(arguments: String, status: Int32, message: String) async throws {
        let result = try await TernTool.run(arguments.split(separator: " ").map(String.init))
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test func `"tern" alone prints its help as an error, as curl does`() async throws {
        let result = try await TernTool.run()
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.contains("USAGE: tern <subcommand>"))
    }

    @Test func `broken authorities are told in a sentence`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "ca.pem")
        let result = try await TernTool.run("--cacert", file, "https://127.0.0.1:1/")
        #expect(result.status == 77)
        #expect(
            result.errors
                == "tern: (77) --cacert: \(file): PEM certificate 1 is broken [asn1 encoding routines: wrong tag]\n")
    }

    @Test func `"tern upload" without a file says so`() async throws {
        let result = try await TernTool.run("upload", "", "http://127.0.0.1:1/")
        #expect(result.status == 2)
        #expect(result.errors.contains("is not a file"), "\(result.errors)")
    }
}
