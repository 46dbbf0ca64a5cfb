// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Dialogues with SOCKS proxies, each delivered whole, byte by byte, and cut off at each byte.
@Suite struct SOCKSHandshakeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var kind = Proxy.Kind.socks5h
        var credential: PasswordCredential?
        var target = SOCKSHandshake.Target.name("a.test", port: 443)
        /// What is sent first.
        let first: [UInt8]
        /// What the proxy answers, and what is sent then.
        let dialogue: [(answer: [UInt8], sent: [UInt8])]
        /// Nil where the tunnel opens.
        var failure: String?
    }

    private static let name = Array("a.test".utf8)
    private static let user = PasswordCredential(user: "me", password: "pw")
    private static let request: [UInt8] = [5, 1, 0, 3, 6] + name + [1, 0xBB]
    private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    static let rows: [Row] = [
        Row(testDescription: "a name", first: [5, 1, 0], dialogue: [([5, 0], request), (granted, [])]),
        Row(
            testDescription: "an IPv6 address, bound to a name",
            target: .address(IPAddress(literal: "::1") ?? .any, port: 80), first: [5, 1, 0],
            dialogue: [
                ([5, 0], [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 80]),
                ([5, 0, 0, 3, 2, 97, 98, 0, 1], []),
            ]),
        Row(
            testDescription: "a password", credential: user, first: [5, 2, 0, 2],
            dialogue: [([5, 2], [1, 2, 109, 101, 2, 112, 119]), ([1, 0], request), (granted, [])]),
        Row(
            testDescription: "a password that is not requested", credential: user, first: [5, 2, 0, 2],
            dialogue: [([5, 0], request), ([5, 0, 0, 4] + [UInt8](repeating: 0, count: 18), [])]),
        Row(
            testDescription: "a wrong password", credential: user, first: [5, 2, 0, 2],
            dialogue: [([5, 2], [1, 2, 109, 101, 2, 112, 119]), ([1, 1], [])],
            failure: "the SOCKS proxy refused the name and the password"),
        Row(
            testDescription: "no method", first: [5, 1, 0], dialogue: [([5, 0xFF], [])],
            failure: "the SOCKS proxy accepts no authentication method that the client has"),
        Row(
            testDescription: "a method that was not offered", first: [5, 1, 0], dialogue: [([5, 2], [])],
            failure: "the SOCKS proxy's answer is malformed: method"),
        Row(
            testDescription: "HTTP", first: [5, 1, 0], dialogue: [(Array("HTTP/1.1 400".utf8), [])],
            failure: "the SOCKS proxy's answer is malformed: version"),
        Row(
            testDescription: "a refusal", first: [5, 1, 0], dialogue: [([5, 0], request), ([5, 5], [])],
            failure: "the SOCKS proxy refused: connection refused"),
        Row(
            testDescription: "a reserved byte", first: [5, 1, 0], dialogue: [([5, 0], request), ([5, 0, 1], [])],
            failure: "the SOCKS proxy's answer is malformed: reserved byte"),
        Row(
            testDescription: "an unknown type of address", first: [5, 1, 0],
            dialogue: [([5, 0], request), ([5, 0, 0, 9], [])],
            failure: "the SOCKS proxy's answer is malformed: address type"),
        Row(
            testDescription: "version 4a", kind: .socks4a, first: [4, 1, 1, 0xBB, 0, 0, 0, 1, 0] + name + [0],
            dialogue: [([0, 90, 0, 0, 0, 0, 0, 0], [])]),
        Row(
            testDescription: "version 4", kind: .socks4, credential: user,
            target: .address(IPAddress(literal: "192.0.2.1") ?? .any, port: 80),
            first: [4, 1, 0, 80, 192, 0, 2, 1, 109, 101, 0], dialogue: [([0, 91, 0, 0, 0, 0, 0, 0], [])],
            failure: "the SOCKS proxy refused: request rejected or failed"),
    ]

    @Test(arguments: rows) func `the dialogue is that of the RFC`(row: Row) throws {
        for isWhole in [true, false] {
            var handshake = SOCKSHandshake(row.kind, row.credential, to: row.target)
            #expect(try handshake.begin() == row.first)
            do throws(ProxyError) {
                for (index, turn) in row.dialogue.enumerated() {
                    var steps: [TunnelStep] = []
                    for piece in isWhole ? [turn.answer] : turn.answer.map({ [$0] }) {
                        var offset = 0
                        steps.append(try handshake.receive(piece, from: &offset))
                        if offset == piece.count { continue }
                        Issue.record("bytes are left")
                    }
                    #expect(steps.dropLast().allSatisfy { $0 == .wait })
                    #expect(steps.last == (index + 1 < row.dialogue.count ? .send(turn.sent) : .open))
                }
                #expect(row.failure == nil)
            } catch {
                #expect("\(error)" == row.failure)
            }
        }
    }

    @Test func `what follows the answer is left for the tunnel`() throws {
        var handshake = SOCKSHandshake(.socks5h, nil, to: .name("a.test", port: 443))
        _ = try handshake.begin()
        var offset = 0
        _ = try handshake.receive([5, 0], from: &offset)
        offset = 0
        #expect(try handshake.receive(Self.granted + [1, 2, 3], from: &offset) == .open)
        #expect(offset == Self.granted.count)
    }

    @Test func `what SOCKS cannot express is refused before it is sent`() {
        var long = SOCKSHandshake(.socks5h, PasswordCredential(user: "", password: "x"), to: .name("a", port: 1))
        #expect(throws: ProxyError.self) { try long.begin() }
        var six = SOCKSHandshake(.socks4, nil, to: .address(IPAddress(literal: "::1") ?? .any, port: 1))
        #expect(throws: ProxyError.self) { try six.begin() }
    }
}

extension IPAddress {
    fileprivate static var any: IPAddress { IPAddress(literal: "0.0.0.0") ?? .any }
}
