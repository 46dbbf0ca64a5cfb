// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Proxies as curl sees them, and as a client does that sends byte by byte.
@Suite(.timeLimit(.minutes(1))) struct ScriptedProxyTests {
    private func curl(_ arguments: String...) async throws -> String {
        let result = try await Command.run(["curl", "-sS", "--max-time", "20"] + arguments)
        return result.output + (result.status == 0 ? "" : "curl \(result.status)")
    }

    private func proxy(to origin: ScriptedOrigin, _ fault: ProxyFault) throws -> ScriptedProxy {
        try ScriptedProxy { _ in
            origin.port
        } faults: { _ in
            fault
        }
    }

    private func answer(of proxy: ScriptedProxy, to bytes: [UInt8]) throws -> (text: String, end: RawClient.End) {
        let client = try RawClient(port: proxy.port)
        client.send(bytes)
        return client.receiveAll()
    }

    @Test(
        arguments: [
            ("http", .http, "a.test:80"), ("socks4", .socks4, "127.0.0.1:80"), ("socks4a", .socks4a, "a.test:80"),
            ("socks5", .socks5, "127.0.0.1:80"), ("socks5h", .socks5, "a.test:80"),
        ] as [(String, ProxiedRequest.Kind, String)])
    func `curl gets through in each protocol, and what it asked for is observed`(
        scheme: String, kind: ProxiedRequest.Kind, target: String
    ) async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.target) \(request.bodyText)")] }
        let proxy = try ScriptedProxy(credential: ("user", "secret")) { _ in origin.port }
        let host = scheme == "socks4" || scheme == "socks5" ? "127.0.0.1" : "a.test"
        let output = try await curl(
            "--proxy", proxy.url(scheme), "--proxy-user", "user:secret", "-d", "body", "http://\(host)/x?y",
            "http://\(host)/z")
        #expect(output == "/x?y body/z body")
        #expect(origin.requests.allSatisfy { $0.value(of: "Proxy-Authorization") == nil && $0.isComplete })
        #expect(await proxy.waitFor { $0.openConnections == 0 })
        let seen = proxy.observations
        #expect(seen.connectionCount == 1 && seen.requests.count == (kind == .http ? 2 : 1))
        for request in seen.requests {
            #expect(request.kind == kind && request.target == target && request.isGranted && request.connection == 1)
            #expect(request.credential == (scheme.hasPrefix("socks4") ? "user" : "user:secret"))
            #expect(request.bytesToServer > 0 && request.bytesToClient > 0)
            #expect((request.request?.bodyText == "body") == (kind == .http))
        }
        #expect(seen.bytesSent > 0 && seen.bytesReceived > 0)
    }

    @Test func `a proxy over TLS forwards requests and tunnels`() async throws {
        let authority = try CertificateAuthority()
        let plain = try ScriptedOrigin { _, _ in [.ok("plain")] }
        let secure = try ScriptedOrigin(tls: authority.issue()) { _, _ in
            [.ok(String(repeating: "0123456789abcdef", count: 65_536))]
        }
        let proxy = try ScriptedProxy(tls: authority.issue())
        let anchors = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try Data(authority.certificatePEM.utf8).write(to: anchors)
        defer { try? FileManager.default.removeItem(at: anchors) }
        let output = try await curl(
            "--proxy", proxy.url("https", host: "localhost"), "--proxy-cacert", anchors.path, "--cacert", anchors.path,
            plain.url(), secure.url())
        #expect(output.count == 5 + 1_048_576 && output.hasPrefix("plain0123"))
        #expect(proxy.requests.map(\.kind) == [.http, .connect])
        #expect(proxy.requests.map(\.target) == ["127.0.0.1:\(plain.port)", "localhost:\(secure.port)"])
    }

    @Test func `a wrong credential is refused in the words of each protocol`() async throws {
        let proxy = try ScriptedProxy(credential: ("user", "secret"))
        let http = try await curl(
            "-o", "/dev/null", "-w", "%{http_code}", "-U", "user:x", "-x", proxy.url(), "http://a.test/")
        #expect(http == "407")
        #expect(try answer(of: proxy, to: [5, 1, 0]).text.utf8.elementsEqual([5, 0xEF, 0xBF, 0xBD]))
        #expect(try answer(of: proxy, to: [5, 2, 0, 2, 1, 1, 97, 1, 98]).text.utf8.elementsEqual([5, 2, 1, 1]))
        #expect(
            try answer(of: proxy, to: [4, 1, 0, 80, 127, 0, 0, 1, 97, 0]).text.utf8.prefix(2).elementsEqual([0, 93]))
        #expect(proxy.requests.map(\.credential) == ["user:x", nil, "a:b", "a"])
        #expect(proxy.requests.allSatisfy { !$0.isGranted })
    }

    @Test(
        arguments: [
            (.closes(after: 3), "HTT", .fin), (.closes(after: 0), "", .fin),
            (.garbage(Array("SSH-2.0".utf8)), "SSH-2.0", nil),
            (.status(403, body: "why"), "HTTP/1.1 403 \r\nContent-Length: 3\r\n\r\nwhy", nil),
            (.trailing(Array("glued".utf8)), "HTTP/1.1 200 \r\n\r\nglued0123456789", .fin),
            (.cuts(after: 4), "HTTP/1.1 200 \r\n\r\n0123", .fin),
        ] as [(ProxyFault, String, RawClient.End?)])
    func `a fault has the bytes that the script says`(fault: ProxyFault, text: String, end: RawClient.End?) throws {
        let origin = try ScriptedOrigin(onAccept: { _ in [.send("0123456789"), .close] }) { _, _ in [] }
        let proxy = try proxy(to: origin, fault)
        let client = try RawClient(port: proxy.port)
        client.send("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        if end == nil {
            #expect(client.receive(until: text) == text)
        } else {
            let answer = client.receiveAll()
            #expect(answer.text == text && answer.end == end)
        }
    }

    @Test(
        arguments: [
            (.closes(after: 4), "HTTP"), (.cuts(after: 5), "HTTP/"), (.garbage(Array("SSH-2.0".utf8)), "SSH-2.0"),
            (.holds(after: 7), "HTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nbody"),
        ] as [(ProxyFault, String)])
    func `a request with a whole URL has the faults, too`(fault: ProxyFault, text: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body"), .close] }
        let proxy = try proxy(to: origin, fault)
        let client = try RawClient(port: proxy.port)
        client.send("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(await proxy.waitFor { $0.requests.count == 1 })
        try proxy.release()
        #expect(client.receive(until: text) == text)
        #expect(proxy.requests[0].bytesToClient == (text.hasPrefix("SSH") ? 0 : text.utf8.count))
    }

    @Test func `a held answer goes on with the release`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("late")] }
        let proxy = try ScriptedProxy { _ in
            origin.port
        } faults: { _ in
            .holds(after: 1)
        }
        let client = try RawClient(port: proxy.port)
        client.send([5, 1, 0])
        #expect(await proxy.waitFor { $0.requests.count == 1 && $0.bytesSent == 1 })
        try proxy.release()
        client.send([5, 1, 0, 3, 1, 97, 0, 80])
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receive(until: "late").hasSuffix("late"))
        #expect(proxy.requests[0].target == "a:80")
    }

    @Test func `the end of either side is passed on`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/reset" ? [.reset] : [.ok("bye"), .close] }
        let proxy = try ScriptedProxy { target in target == "a.test:80" ? origin.port : nil }
        for (path, end) in [("/", RawClient.End.fin), ("/reset", .reset)] {
            let client = try RawClient(port: proxy.port)
            client.send("CONNECT a.test:80 HTTP/1.1\r\n\r\n")
            #expect(client.receive(until: "\r\n\r\n") == "HTTP/1.1 200 \r\n\r\n")
            client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            let (text, ended) = client.receiveAll()
            #expect(ended == end && text.hasSuffix("bye") == (path == "/"))
        }
        #expect(
            try answer(of: proxy, to: [4, 1, 0, 80, 0, 0, 0, 1, 0, 98, 0]).text.utf8.prefix(2).elementsEqual([0, 91]))
        #expect(await proxy.waitFor { $0.openConnections == 0 })
    }

    @Test func `a stop ends tunnels and held answers`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let proxy = try ScriptedProxy { _ in
            origin.port
        } faults: {
            $0 == 2 ? .holds(after: 0) : nil
        }
        let clients = try (1...2).map { _ in try RawClient(port: proxy.port) }
        for client in clients { client.send("CONNECT a.test:80 HTTP/1.1\r\n\r\n") }
        #expect(await proxy.waitFor { $0.requests.count == 2 })
        proxy.stop()
        for client in clients { #expect(client.receiveAll().end != .silence) }
        #expect(throws: RawClient.Unconnected.self) { _ = try RawClient(port: proxy.port) }
    }
}
