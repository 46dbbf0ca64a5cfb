// SPDX-License-Identifier: Apache-2.0
// Any bytes as the WWW-Authenticate fields of a response, one a line. Oracle: no trap; a realm is no longer than what is
// read; the challenge to answer is one of those there are, Basic if the first is, and no field changes what stands
// before it.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let fields = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    let schemes = fields.compactMap { ChallengeScheme($0) }
    for scheme in schemes {
        // Each byte of what is no UTF-8 becomes a replacement character of three.
        guard (scheme.realm?.utf8.count ?? 0) <= 3 * ChallengeScheme.limit else { fatalError("a long realm") }
    }
    guard let preferred = ChallengeScheme.preferred(among: fields) else {
        // The fields that are read may be none: an empty one in front uses up nothing.
        if let first = fields.first, ChallengeScheme(first) != nil { fatalError("the first challenge is not seen") }
        return 0
    }
    guard schemes.contains(where: { $0.method == preferred.method && $0.realm == preferred.realm }) else {
        fatalError("\(preferred) is none of \(schemes)")
    }
    if schemes.first?.method == .httpBasic, preferred.method != .httpBasic { fatalError("Basic is not preferred") }
    if preferred.method == .httpBasic {
        let again = ChallengeScheme.preferred(among: fields + ["Digest realm=\"after\""])
        guard again?.realm == preferred.realm, again?.method == .httpBasic else { fatalError("a later field counts") }
    }
    return 0
}
