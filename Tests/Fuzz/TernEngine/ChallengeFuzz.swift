// SPDX-License-Identifier: Apache-2.0
// Any bytes as the WWW-Authenticate fields of a response, one a line. Oracle: no trap; the limits are kept; schemes and
// names are tokens in lower case; a further field changes nothing of what stands before it; the preferred challenge is
// one of them; an answer to it is a field value that returns the bytes of realm, nonce and opaque; a line as the value
// of a parameter changes no other parameter.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let fields = bytes.split(separator: UInt8(ascii: "\n")).map { line in
        // As the reader of heads passes them on: without control characters.
        line.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 }
    }
    if let line = fields.first, line.count < 1024 { checkValue(line) }
    let challenges = HTTPChallenge.challenges(in: fields)
    guard challenges.count <= HTTPChallenge.maximumCount else { fatalError("\(challenges.count) challenges") }
    challenges.forEach(check)
    guard HTTPChallenge.challenges(in: fields + [Array("Digest realm=\"after\"".utf8)]).starts(with: challenges) else {
        fatalError("a later field counts for an earlier one")
    }
    guard let preferred = HTTPChallenge.preferred(among: challenges) else {
        if !challenges.isEmpty { fatalError("none of \(challenges) is preferred") }
        return 0
    }
    guard challenges.contains(preferred) else { fatalError("\(preferred) is none of \(challenges)") }
    if let digest = DigestScheme(preferred) { answer(digest, preferred) }
    return 0
}

private func check(_ challenge: HTTPChallenge) {
    let isName = { (text: String) in !text.isEmpty && text.utf8.allSatisfy(\.isToken) && text == text.lowercased() }
    guard isName(challenge.scheme), challenge.parameters.count <= HTTPChallenge.maximumParameterCount,
        challenge.parameters.allSatisfy({ isName($0.name) })
    else { fatalError("\(challenge)") }
}

private func answer(_ digest: DigestScheme, _ challenge: HTTPChallenge) {
    let credential = PasswordCredential(user: Array("\u{e9}\"\\".utf8) + [0xFC], password: Array("secret".utf8))
    let request = DigestScheme.Request(method: "GET", target: "/a?b=\"c\"")
    guard let answer = digest.authorization(credential, for: request, clientNonce: "0a", count: .max) else { return }
    guard answer.starts(with: Array("Digest ".utf8)), answer.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
        answer.firstRange(of: Array("secret".utf8)) == nil || contains(challenge, "secret")
    else { fatalError(String(decoding: answer, as: UTF8.self)) }
    guard answer.count < HTTPChallenge.maximumLength else { return }
    guard let returned = HTTPChallenge.challenges(in: [answer]).first else { fatalError("no answer") }
    for name in ["realm", "nonce", "opaque"] where returned.bytes(name) != challenge.bytes(name) {
        fatalError("\(name): \(String(describing: returned.bytes(name))) of \(challenge)")
    }
    guard
        returned["username"] == nil || returned.bytes("username") == credential.userBytes
            || challenge["userhash"]?.lowercased() == "true"
    else { fatalError("\(returned)") }
}

private func contains(_ challenge: HTTPChallenge, _ text: String) -> Bool {
    challenge.parameters.contains { $0.bytes.firstRange(of: Array(text.utf8)) != nil }
}

/// The line as a value, before, between and behind parameters with common values. Not what reads as a further parameter
/// without a comma.
private func checkValue(_ value: [UInt8]) {
    let isSeparate = value.contains { $0.isBlank || $0 == UInt8(ascii: "\"") }
    guard !value.contains(UInt8(ascii: ",")), !isSeparate || !value.contains(UInt8(ascii: "=")) else { return }
    let others = ["realm=\"r, \\\"s\"", "nonce=\"a/b==\"", "qop=auth", "opaque=\"o\""]
    let odd = Array("x=".utf8) + value
    for place in 0...others.count {
        var elements = others.map { Array($0.utf8) }
        elements.insert(odd, at: place)
        elements.append(Array("Basic realm=\"b\"".utf8))
        let field = Array("Digest ".utf8) + elements.joined(separator: Array(", ".utf8))
        let challenges = HTTPChallenge.challenges(in: [field])
        guard challenges.map(\.scheme) == ["digest", "basic"], challenges[0].realm == "r, \"s",
            challenges[0]["nonce"] == "a/b==", challenges[0]["qop"] == "auth", challenges[0]["opaque"] == "o",
            challenges[1].realm == "b"
        else { fatalError("\(String(decoding: field, as: UTF8.self)): \(challenges)") }
    }
}
