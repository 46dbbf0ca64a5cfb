// SPDX-License-Identifier: Apache-2.0
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
        arguments: [("0", 0), ("4096", 4096), ("2k", 2048), ("3M", 3_145_728), ("1G", 1_073_741_824)])
    func read(argument: String, bytes: Int) { #expect(ByteCount(argument: argument)?.bytes == bytes) }

    @Test(
        "what is none is none", arguments: ["", "k", "-1", "1.5M", "1KB", "99999999999999999999", "9999999999999999G"])
    func refused(argument: String) { #expect(ByteCount(argument: argument) == nil) }
}
