// SPDX-License-Identifier: Apache-2.0
// Any bytes as the WWW-Authenticate fields of a response, one a line. Oracle: no trap; the limits are kept; schemes and
// names are tokens in lower case; a further field changes nothing of what stands before it; the preferred challenge is
// one of them; an answer to it is a field value.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let fields = bytes.split(separator: UInt8(ascii: "\n")).map { line in
        // As the reader of heads passes them on: without control characters.
        String(decoding: line.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
    let challenges = HTTPChallenge.challenges(in: fields)
    guard challenges.count <= HTTPChallenge.maximumCount else { fatalError("\(challenges.count) challenges") }
    challenges.forEach(check)
    guard HTTPChallenge.challenges(in: fields + ["Digest realm=\"after\""]).starts(with: challenges) else {
        fatalError("a later field counts for an earlier one")
    }
    guard let preferred = HTTPChallenge.preferred(among: challenges) else {
        if !challenges.isEmpty { fatalError("none of \(challenges) is preferred") }
        return 0
    }
    guard challenges.contains(preferred) else { fatalError("\(preferred) is none of \(challenges)") }
    if let digest = DigestScheme(preferred) { answer(digest) }
    return 0
}

private func check(_ challenge: HTTPChallenge) {
    let isName = { (text: String) in !text.isEmpty && text.utf8.allSatisfy(\.isToken) && text == text.lowercased() }
    guard isName(challenge.scheme), challenge.parameters.count <= HTTPChallenge.maximumParameterCount,
        challenge.parameters.allSatisfy({ isName($0.name) })
    else { fatalError("\(challenge)") }
}

private func answer(_ digest: DigestScheme) {
    let credential = PasswordCredential(user: "ü\"\\", password: "secret")
    let request = DigestScheme.Request(method: "GET", target: "/a?b=\"c\"")
    guard let answer = digest.authorization(credential, for: request, clientNonce: "0a", count: .max) else { return }
    guard answer.hasPrefix("Digest "), answer.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
        !answer.contains("secret")
    else { fatalError(answer) }
}
