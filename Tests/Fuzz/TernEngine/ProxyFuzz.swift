// SPDX-License-Identifier: Apache-2.0
// Any bytes as what proxies answer, on one connection after another where they are separated by the byte 0xFE. The first
// byte chooses the proxy and its credential, the second how the answers are cut. Oracle: no trap; every delivery has the
// same end; SOCKS reads what a plain reading of the RFC reads; an open tunnel has had the final head alone, and bytes
// behind it are left; a credential is sent in a scheme that it allows and the proxy asked for, and to no other proxy.
@testable import TernEngine
@testable import TernIO

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let asked = Asked(input[0])
    let answers = input[2...].split(separator: 0xFE, maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
    let (ends, others) = (answer(asked, answers) { [$0] }, answer(asked, answers) { $0.map { [$0] } })
    guard ends == others else { fatalError("\(others) is not \(ends)") }
    let pieces = answer(asked, answers) { Deliveries.pieces($0, seed: input[1]) }
    guard ends == pieces else { fatalError("\(pieces) is not \(ends)") }
    if asked.kind.isHTTP {
        checkConnect(asked, answers, ends)
    } else {
        checkSOCKS(asked, answers[0], ends[0])
    }
    return 0
}

/// How the proxy is asked.
private struct Asked {
    let kind: Proxy.Kind
    let credential: PasswordCredential?
    let host: HTTPOrigin

    init(_ choice: UInt8) {
        kind = [.http, .http, .socks4, .socks4a, .socks5, .socks5h, .http, .socks5h][Int(choice & 7)]
        let schemes: PasswordCredential.Schemes? = [nil, .basic, .digest, .all][Int(choice >> 3 & 3)]
        credential = schemes.map { PasswordCredential(user: "user", password: "secret", schemes: $0) }
        host = HTTPOrigin(scheme: .https, host: choice & 32 == 0 ? "a.test" : "[::1]", port: 443)
    }

    var proxy: Proxy {
        var proxy = Proxy(kind, host: "p.test")
        proxy.credential = credential
        return proxy
    }

    var target: SOCKSHandshake.Target {
        switch kind {
        case .socks4: .address(IPAddress(storage: .v4(0x0102_00C0)), port: 443)
        case .socks5: .address(IPAddress(storage: .v6(.max, .max, scope: 0)), port: 443)
        case .http, .https, .socks4a, .socks5h: .name("a.test", port: 443)
        }
    }
}

/// What became of one dialogue.
private struct End: Equatable {
    var sent: [[UInt8]] = []
    var outcome = "wait"
    /// How much was consumed; where the dialogue failed, this depends on the delivery over HTTP.
    var consumed = 0
    /// What is said when the proxy closes now.
    var brokenOff = ""

    static func == (left: End, right: End) -> Bool {
        left.outcome == right.outcome && left.consumed == right.consumed && left.brokenOff == right.brokenOff
            && left.sent.map(withoutNonce) == right.sent.map(withoutNonce)
    }

    /// A client nonce is random, and so is what is made of it.
    private static func withoutNonce(_ bytes: [UInt8]) -> [UInt8] {
        guard let answer = bytes.firstRange(of: Array(": Digest ".utf8)) else { return bytes }
        return Array(bytes[..<answer.upperBound])
    }
}

private func answer(_ asked: Asked, _ answers: [[UInt8]], _ cut: ([UInt8]) -> [[UInt8]]) -> [End] {
    if !asked.kind.isHTTP {
        return [run(SOCKSHandshake(asked.kind, asked.credential, to: asked.target), cut(answers[0]))]
    }
    let logins = ProxyLogins()
    var ends: [End] = []
    for bytes in answers {
        let handshake = ConnectHandshake(
            asked.proxy, to: asked.host, logins, limits: ParsingLimits(), isFirst: ends.isEmpty)
        ends.append(run(handshake, cut(bytes)))
        if ends.last?.outcome != "repeated" { break }
    }
    var other = Proxy(.http, host: "other.test")
    other.credential = PasswordCredential(user: "other", password: "secret")
    if logins.login(to: other) != nil {
        fatalError("another proxy did not ask")
    }
    return ends
}

private func run(_ handshake: consuming some TunnelHandshake, _ pieces: [[UInt8]]) -> End {
    var (handshake, end) = (handshake, End())
    do throws(ProxyError) {
        end.sent.append(try handshake.begin())
        for piece in pieces where !piece.isEmpty {
            var offset = 0
            while end.outcome == "wait" {
                let before = offset
                defer { end.consumed += offset - before }
                switch try handshake.receive(piece, from: &offset) {
                case .wait where offset == piece.count: break
                case .wait: fatalError("\(piece.count - offset) bytes are left")
                case .send(let bytes) where offset > before: end.sent.append(bytes)
                case .send: fatalError("a step without a byte")
                case .open: end.outcome = "open"
                case .repeated: end.outcome = "repeated"
                }
                guard (before...piece.count).contains(offset) else { fatalError("\(offset) after \(before)") }
                if offset == piece.count { break }
            }
        }
    } catch {
        end.outcome = words(error)
        if case .refused = error { end.consumed = 0 }
        if case .malformedResponse = error { end.consumed = 0 }
    }
    end.brokenOff = handshake.brokenOff().map(words) ?? ""
    return end
}

private func words(_ error: ProxyError) -> String {
    guard case .refused(let refusal) = error else { return "\(error)" }
    guard refusal.body.count <= ConnectHandshake.maximumBodySize, !(200..<300).contains(refusal.status) else {
        fatalError("\(refusal.body.count) bytes of \(refusal.status)")
    }
    return "\(error) \(refusal.body)"
}

private func checkSOCKS(_ asked: Asked, _ bytes: [UInt8], _ end: End) {
    var reading = Reading(bytes: bytes[...])
    let isOpen = asked.kind == .socks4 || asked.kind == .socks4a ? reading.version4() : reading.version5(asked)
    let expected = isOpen ? "open" : reading.failure ?? "wait"
    let consumed = bytes.count - reading.bytes.count
    guard end.outcome == expected, end.consumed == consumed, end.sent.count == 1 + reading.sent.count else {
        fatalError("\(end) is not \(expected) after \(consumed) bytes")
    }
    for (sent, isLogin) in zip(end.sent.dropFirst(), reading.sent) where sent.starts(with: [1]) != isLogin {
        fatalError("\(sent)")
    }
    let hasPassword = end.sent.contains { $0.firstRange(of: Array("secret".utf8)) != nil }
    guard hasPassword == reading.sent.contains(true) else { fatalError("a password that was not asked for: \(end)") }
}

/// RFC 1928, RFC 1929 and SOCKS 4, read from the beginning of all bytes.
private struct Reading {
    var bytes: ArraySlice<UInt8>
    var failure: String?
    /// What follows an answer: the name and the password, or else the request.
    var sent: [Bool] = []

    mutating func version4() -> Bool {
        guard expect(0, .version), let code = next() else { return false }
        guard skip(6) else { return false }
        return code == 90 || fail(.refusedBySOCKS(version: 4, code: code))
    }

    mutating func version5(_ asked: Asked) -> Bool {
        guard expect(5, .version), let method = next() else { return false }
        switch method {
        case 0: sent.append(false)
        case 2 where asked.credential != nil:
            sent.append(true)
            guard expect(1, .version), let status = next() else { return false }
            guard status == 0 else { return fail(.credentialRefused) }
            sent.append(false)
        case 0xFF: return fail(.noAuthenticationMethod)
        default: return fail(.malformedSOCKS(.method))
        }
        guard expect(5, .version), let code = next() else { return false }
        guard code == 0 else { return fail(.refusedBySOCKS(version: 5, code: code)) }
        guard expect(0, .reserved), let type = next() else { return false }
        switch type {
        case 1: return skip(4 + 2)
        case 3:
            guard let length = next() else { return false }
            return skip(Int(length) + 2)
        case 4: return skip(16 + 2)
        default: return fail(.malformedSOCKS(.addressType))
        }
    }

    private mutating func next() -> UInt8? { bytes.popFirst() }

    private mutating func skip(_ count: Int) -> Bool {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.count >= count
    }

    private mutating func expect(_ byte: UInt8, _ rule: ProxyError.SOCKSRule) -> Bool {
        guard let first = next() else { return false }
        return first == byte || fail(.malformedSOCKS(rule))
    }

    private mutating func fail(_ error: ProxyError) -> Bool {
        failure = "\(error)"
        return false
    }
}

private func checkConnect(_ asked: Asked, _ answers: [[UInt8]], _ ends: [End]) {
    for (index, end) in ends.enumerated() {
        let before = index == 0 ? nil : lowercased(answers[index - 1])
        checkCredential(asked, end, before)
        switch end.outcome {
        case "open": checkHeads(answers[index].prefix(end.consumed))
        case "repeated":
            guard asked.credential != nil, lowercased(answers[index]).contains("proxy-authenticate") else {
                fatalError("again without a challenge")
            }
        default: break
        }
    }
    // What is behind a final head changes nothing.
    let head = Array("HTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.0 299 \r\nContent-Length: 7\r\n\r\n".utf8)
    for end in answer(asked, [head + answers[0]], { [$0] }) where end.outcome != "open" || end.consumed != head.count {
        fatalError("\(end) of \(head.count) bytes")
    }
}

private func checkCredential(_ asked: Asked, _ end: End, _ challenges: String?) {
    let request = String(decoding: end.sent[0], as: UTF8.self)
    let schemes = asked.credential?.schemes ?? []
    let (isBasic, isDigest) = (request.contains("Basic dXNlcjpzZWNyZXQ="), request.contains(": Digest "))
    let mayBasic = schemes.contains(.basic) && (schemes == .basic || challenges?.contains("basic") == true)
    let mayDigest = schemes.contains(.digest) && challenges?.contains("digest") == true
    guard end.sent.count == 1, !isBasic || mayBasic, !isDigest || mayDigest,
        request.contains("Proxy-Authorization") == (isBasic || isDigest), challenges == nil || isBasic || isDigest,
        isDigest || !request.contains("secret")
    else { fatalError("\(request) after \(challenges ?? "nothing")") }
}

/// The heads before an open tunnel: 1xx, then one of 2xx, with which they end.
private func checkHeads(_ bytes: ArraySlice<UInt8>) {
    var (rest, statuses): (ArraySlice<UInt8>, [UInt8]) = (bytes, [])
    while !rest.isEmpty {
        guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)), rest.starts(with: Array("HTTP/1.".utf8)) else {
            fatalError("no head: \(String(decoding: rest, as: UTF8.self))")
        }
        statuses.append(rest[rest.startIndex + 9])
        rest = rest[end.upperBound...]
    }
    guard statuses.last == UInt8(ascii: "2"), statuses.dropLast().allSatisfy({ $0 == UInt8(ascii: "1") }) else {
        fatalError("open after \(String(decoding: bytes, as: UTF8.self))")
    }
}

private func lowercased(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).lowercased() }
