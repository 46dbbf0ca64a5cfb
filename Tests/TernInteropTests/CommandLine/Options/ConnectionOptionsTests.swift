// SPDX-License-Identifier: Apache-2.0
// Safety: `fread` writes to an array of the given size.
import Foundation
import TernTesting
import TestPrograms
import TestProofs
import Testing

/// `--interface`, `--local-port` and the options of keep-alive, beside curl.
@Suite struct ConnectionOptionsTests {
    private func compare(_ options: String, _ script: @escaping ScriptedOrigin.Script) async throws -> String {
        let origin = try ScriptedOrigin(script: script)
        let words = ["-w", " %{local_ip}"] + options.split(separator: " ").map(String.init) + [origin.url("/")]
        let other = try await Command.run(["curl", "-s", "--max-time", "10"] + words)
        let result = try await TernTool.run(["get", "-s"] + words)
        #expect(result.status == other.status, "\(options): \(result.errors)")
        if result.status == 0 { #expect(result.text == other.output, "\(options)") }
        return "\(result.status) \(result.text)"
    }

    @Test(arguments: [
        ("--interface lo", "0  127.0.0.1"), ("--interface nosuch0", "45"), ("--interface 127.0.0.7", "0  127.0.0.7"),
        ("--interface if!lo", "0  127.0.0.1"), ("--interface if!127.0.0.7", "45"),
        ("--interface host!127.0.0.8", "0  127.0.0.8"), ("--interface host!nosuch.invalid", "45"),
        ("--interface ::1", "7"), ("--interface 192.0.2.1", "45"), ("--interface 12345678901234567", "45"),
        ("--local-port 70000", "2"), ("--local-port 5-3", "2"), ("--local-port x", "2"), ("--local-port 5-", "2"),
        ("--local-port 0", "0  127.0.0.1"),
        ("--keepalive-time x", "2"), ("--keepalive-time 1.5", "2"), ("--keepalive-time -1", "2"),
    ])
    func `the options do what they do in curl`(options: String, result: String) async throws {
        #expect(try await compare(options) { _, _ in [.ok("")] }.hasPrefix(result), "\(options)")
    }

    @Test func `an address may be given beside an interface, as in newer releases`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("")] }
        let words = ["get", "-s", "-w", "%{local_ip}", origin.url("/"), "--interface"]
        #expect(try await TernTool.run(words + ["ifhost!lo!127.0.0.9"]).text == "127.0.0.9")
        #expect(try await TernTool.run(words + ["ifhost!nosuch0!127.0.0.9"]).status == 45)
        #expect(try await TernTool.run(words + ["ifhost!lo"]).status == 45)
    }

    @Test func `the first free port is taken, and it is an error if there is none`() async throws {
        // Its port is in use.
        let busy = try ScriptedOrigin { _, _ in [.ok("")] }
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Connection", "close")])] }
        for tool in [["curl", "-s"], [try TernTool.executable.path, "get", "-s"]] {
            let run = { (ports: String) in
                try await Command.run(tool + ["-w", "%{local_port}", "--local-port", ports, origin.url("/")])
            }
            #expect(try await run("\(busy.port)").status == 45)
            let result = try await run("\(busy.port)-\(min(65_000, Int(busy.port)) + 400)")
            #expect(result.status == 0, "\(result.errors)")
            let port = try #require(Int(result.output))
            #expect(port > Int(busy.port) && port <= Int(busy.port) + 400)
        }
    }

    @Test(
        .proves("14.8a"),
        arguments: [
            ("HTTP/1.1 200 OK\nContent-Length: 4\n\nfine", "bare-lf"),
            ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n", "chunked-http10"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4 \t\r\nfine\r\n0   \r\n\r\n", nil),
        ])
    func `a rule of HTTP/1.1 is relaxed by its name alone`(response: String, rule: String?) async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(response), .close] }
        let rules = ["bare-lf", "chunked-http10"]
        for lenient in [[], [rules[0]], [rules[1]], rules] {
            let options = lenient.isEmpty ? [] : ["--lenient", lenient.joined(separator: ",")]
            let result = try await TernTool.run(["get", "-s", origin.url("/")] + options)
            let isRead = rule.map(lenient.contains) ?? true
            #expect((result.status == 0) == isRead && result.text == (isRead ? "fine" : ""), "\(lenient)")
        }
    }

    /// The kernel's list of connections. Not by `Data(contentsOf:)`, which takes a short read for the end.
    private static var connections: Data {
        guard let file = unsafe fopen("/proc/net/tcp", "r") else { return Data() }
        defer { unsafe fclose(file) }
        var text = [UInt8](repeating: 0, count: 4 << 20)
        let length = unsafe fread(&text, 1, text.count, file)
        return Data(text[..<length])
    }

    /// The timer of the client's socket, once all that was sent is acknowledged: the kernel's number for what it is about,
    /// and its seconds.
    private static func timer(of request: ReceivedRequest) -> String {
        let port = request.value(of: "Host")?.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        // The port of the other end, in a line of an established connection.
        let start = Data((":" + String(format: "%04X", port) + " 01 ").utf8)
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline {
            sched_yield()
            let list = connections
            guard let place = list.range(of: start) else { continue }
            let words = String(decoding: list[place.upperBound...].prefix(40), as: UTF8.self).split(separator: " ")
            let parts = words.count > 1 ? words[1].split(separator: ":") : []
            // 1 retransmits.
            guard parts.count == 2, parts[0] != "01", let ticks = Int(parts[1], radix: 16) else { continue }
            return parts[0] == "02" ? "02 \((ticks + 99) / 100)" : String(parts[0])
        }
        return "none"
    }

    @Test(arguments: [
        ("--keepalive-time 777", "02 777"), ("--no-keepalive", "00"), ("--keepalive-time 777 --no-keepalive", "00"),
        ("--no-keepalive --keepalive --keepalive-time 600", "02 600"),
    ])
    func `probes begin when they do in curl`(options: String, timer: String) async throws {
        let text = try await compare(options) { _, request in [.ok(Self.timer(of: request))] }
        #expect(text == "0 \(timer) 127.0.0.1")
    }

    @Test func `options of probes that curl 7.88 does not have`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let words = ["get", "-s", origin.url("/")]
        #expect(try await TernTool.run(words + ["--keepalive-cnt", "3", "--keepalive-intvl", "7"]).status == 0)
        for option in ["--keepalive-cnt 128", "--keepalive-intvl 40000", "--keepalive-time 99999"] {
            let result = try await TernTool.run(words + option.split(separator: " ").map(String.init))
            #expect(result.status == 2 && result.errors.contains(option.split(separator: " ")[0]))
        }
    }
}
