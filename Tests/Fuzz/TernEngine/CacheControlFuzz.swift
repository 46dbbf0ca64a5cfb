// SPDX-License-Identifier: Apache-2.0
// Any bytes as the values of Cache-Control fields, one a line. Oracle: no trap; the same as a plain reading of each element
// by itself; the order of fields does not matter; no directive makes another more permissive. More elements than a cache reads
// are another matter.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let fields = bytes.split(separator: 0x0A).prefix(8).map(Array.init)
    let control = CacheControl(fields)
    guard control == CacheControl(fields.reversed()) else { fatalError("the order matters") }
    let elements = fields.flatMap(elements)
    if elements.count > 60 { return 0 }
    guard control == CacheControl(elements) else { fatalError("an element depends on its neighbours") }
    compare(control, elements)
    for (text, isRestricted) in restrictions {
        let both = CacheControl(fields + [Array(text.utf8)])
        guard isRestricted(both), isStricter(both, control) else { fatalError("\(text) does not restrict") }
    }
    return 0
}

private let restrictions: [(String, @Sendable (CacheControl) -> Bool)] = [
    ("no-store", \.isNoStore), ("x , NO-CACHE", \.isNoCache), ("no-cache=a b", \.isNoCache),
    ("no-cache=\"X-A , b\"", { $0.uncachedFields.isSuperset(of: ["x-a", "b"]) }), ("max-age=0", { $0.maxAge == 0 }),
    ("max-age=1,max-age=\"", { $0.maxAge == 0 }), ("min-fresh=z", { $0.minFresh == CacheControl.maximumSeconds }),
    ("must-revalidate", \.isMustRevalidate),
]

private func isStricter(_ one: CacheControl, _ other: CacheControl) -> Bool {
    let isShorter = { (a: Int64?, b: Int64?) in b == nil || (a ?? .max) <= (b ?? .max) }
    return (one.isNoStore || !other.isNoStore) && (one.isNoCache || !other.isNoCache)
        && (one.isMustRevalidate || !other.isMustRevalidate) && one.uncachedFields.isSuperset(of: other.uncachedFields)
        && isShorter(one.maxAge, other.maxAge) && isShorter(one.maxStale, other.maxStale)
        && isShorter(one.staleIfError, other.staleIfError)
        && isShorter(one.staleWhileRevalidate, other.staleWhileRevalidate)
        && (one.minFresh ?? 0) >= (other.minFresh ?? 0)
}

/// The elements of a list, without those of blanks alone; commas in quoted strings part nothing.
private func elements(_ field: [UInt8]) -> [[UInt8]] {
    var (elements, isQuoted, isEscaped): ([[UInt8]], Bool, Bool) = ([[]], false, false)
    for byte in field {
        if byte == UInt8(ascii: ","), !isQuoted {
            elements.append([])
            continue
        }
        elements[elements.count - 1].append(byte)
        if isEscaped {
            isEscaped = false
        } else if isQuoted, byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isQuoted.toggle()
        }
    }
    return elements
}

/// What the elements say that are no more than a name, or a name and digits.
private func compare(_ control: CacheControl, _ elements: [[UInt8]]) {
    let texts = elements.map { element in
        // A CR, too: the reader of lists takes it for part of a fold. No field can hold one.
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = element.drop(while: isBlank)
        let end = start.reversed().drop(while: isBlank)
        return String(decoding: end.reversed(), as: UTF8.self).lowercased()
    }
    guard control.isNoStore || !texts.contains("no-store"), control.isNoCache || !texts.contains("no-cache"),
        control.isPublic || !texts.contains("public"), control.isOnlyIfCached || !texts.contains("only-if-cached"),
        control.isMustUnderstand || !texts.contains("must-understand")
    else { fatalError("a directive is lost") }
    let ages = texts.filter { $0.utf8.starts(with: "max-age".utf8) }
    guard control.maxAge == nil || !ages.isEmpty else { fatalError("an age from nowhere") }
    let digits = ages.map { String(decoding: $0.utf8.dropFirst(8), as: UTF8.self) }
    guard let first = ages.first, Set(ages).count == 1, first.utf8.dropFirst(7).first == UInt8(ascii: "="),
        digits[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), !digits[0].isEmpty
    else { return }
    let seconds = min(Int64(digits[0]) ?? .max, CacheControl.maximumSeconds)
    guard control.maxAge == seconds else { fatalError("\(first) is \(control.maxAge ?? -1)") }
}
