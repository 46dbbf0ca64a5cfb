// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI

@Suite struct SchemeOptionsTests {
    @Test(
        arguments: [
            ("=https", ["https"]), ("-http", ["https"]), ("=https,http", ["http", "https"]), ("-all,https", ["https"]),
            ("=ftp", []), ("+ftp", ["http", "https"]), ("=HTTP", ["http"]), ("=all", ["http", "https"]),
            ("=http,-http", []), ("", ["http", "https"]),
        ] as [(String, Set<String>)])
    func `schemes are replaced, added and removed as in curl`(list: String, schemes: Set<String>) throws {
        #expect(try SchemeOptions.parse(["--proto", list]).schemes == schemes)
    }

    @Test func `a redirect may lead only where a request may`() throws {
        #expect(try SchemeOptions.parse([]).redirectSchemes == ["http", "https"])
        #expect(try SchemeOptions.parse(["--proto", "=https"]).redirectSchemes == ["https"])
        #expect(try SchemeOptions.parse(["--proto-redir", "=https"]).redirectSchemes == ["https"])
        #expect(try SchemeOptions.parse(["--proto", "=http", "--proto-redir", "=https"]).redirectSchemes.isEmpty)
    }

    @Test func `a URL of another scheme is refused`() throws {
        let options = try SchemeOptions.parse(["--proto", "=https"])
        try options.check(RequestedURL("https://a.test/"))
        #expect(throws: CommandFailure.self) { try options.check(RequestedURL("HTTP://a.test/")) }
    }
}

@Suite struct ByteCountTests {
    @Test(
        "a number of bytes may have a unit",
        arguments: [
            ("0", 0), ("4096", 4096), ("2k", 2048), ("3M", 3_145_728), ("1G", 1_073_741_824), ("1000B", 1000),
            ("9b", 9), ("1T", 1 << 40),
        ])
    func read(argument: String, bytes: Int) { #expect(ByteCount(argument: argument)?.bytes == bytes) }

    @Test(
        "what is none is none",
        arguments: ["", "k", "-1", "1.5M", "1KB", "99999999999999999999", "9999999999999999G", "B"])
    func refused(argument: String) { #expect(ByteCount(argument: argument) == nil) }
}

/// `--limit-rate` and `--rate`, beside curl.
@Suite struct RateOptionsTests {
    @Test(arguments: [
        ("--limit-rate 100K URL", 0.35), ("--limit-rate 0 URL", 0), ("--limit-rate 50k URL", 0.7),
        ("--rate 10/s URL?[1-4]", 0.3), ("--rate 600/m URL URL URL", 0.2),
    ])
    func `transfers take as long as they do in curl`(options: String, seconds: Double) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 40_000))] }
        let words = options.replacing("URL", with: origin.url()).split(separator: " ").map(String.init)
        // curl lets a short transfer pass before it measures.
        for program in options.contains("limit")
            ? [[try TernTool.executable.path, "get"]] : [["curl"], [try TernTool.executable.path, "get"]]
        {
            let start = ContinuousClock.now
            let result = try await Command.run(program + ["-s", "-w", "%{http_code}\n"] + words)
            #expect(result.status == 0, "\(result.errors)")
            #expect(ContinuousClock.now - start >= .seconds(seconds), "\(program)")
        }
    }

    @Test(
        arguments: [
            ("7/s", 7), ("60/m", 1), ("3600", 1), ("24/d", 1.0 / 3600), ("1/5s", 0.2), ("9/3m", 0.05),
            ("2/2h", 1.0 / 3600),
        ] as [(String, Double)])
    func `a rate has a number and a time`(argument: String, rate: Double) throws {
        #expect(abs(try #require(RequestRate(argument: argument)).requestsPerSecond - rate) < 1e-12)
    }

    @Test(arguments: [
        "", "0", "0/s", "-1/s", "1/", "/s", "1/x", "1/0s", "1/-1s", "1.5/s", "1/ss", "99999999999999999999/s", "1/5",
    ])
    func `what is no rate is refused`(argument: String) async throws {
        #expect(RequestRate(argument: argument) == nil)
        let result = try await TernTool.run(["get", "--rate=\(argument)", "http://127.0.0.1:1/"])
        #expect(result.status == 2)
        #expect(result.errors.contains("--rate"))
    }
}
