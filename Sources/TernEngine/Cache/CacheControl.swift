// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The directives of the `Cache-Control` fields of a request or a response (RFC 9111 §5.2, RFC 5861), as a private cache
/// reads them: those for shared caches are ignored, as unknown ones are.
///
/// Directives that contradict each other leave the most restrictive one (RFC 9111 §4.2.1), and one whose argument cannot
/// be read counts as if it allowed nothing.
struct CacheControl: Sendable, Equatable {
    /// The largest number of seconds; also for numbers that are larger (RFC 9111 §1.2.2).
    static let maximumSeconds: Int64 = 1 << 31

    /// The maximum number of directives, and the maximum length of the fields together in bytes.
    private static let maximumCount = 64
    private static let maximumLength = 8192

    private(set) var isNoStore = false
    /// Without the names of fields.
    private(set) var isNoCache = false
    /// The names of fields in `no-cache="…"`, in lower case: they need validation, the rest of the response does not.
    private(set) var uncachedFields: Set<String> = []
    private(set) var isMustRevalidate = false
    private(set) var isMustUnderstand = false
    private(set) var isPublic = false
    private(set) var isPrivate = false
    private(set) var isOnlyIfCached = false
    /// In seconds, as all that follow.
    private(set) var maxAge: Int64?
    private(set) var minFresh: Int64?
    private(set) var maxStale: Int64?
    private(set) var staleWhileRevalidate: Int64?
    private(set) var staleIfError: Int64?
    /// Whether any directive could be read.
    private(set) var isEmpty = true

    init() {}

    /// Reads the values of all fields, in order. More than any server has to say is not read, and forbids everything: the
    /// fields are read for each response.
    init(_ fields: [[UInt8]]) {
        if fields.reduce(0, { $0 + $1.count }) > Self.maximumLength || !read(fields) {
            self = CacheControl()
            (isNoStore, isNoCache, isMustRevalidate, isEmpty) = (true, true, true, false)
        }
    }

    /// Returns false if there are too many directives.
    private mutating func read(_ fields: [[UInt8]]) -> Bool {
        var count = 0
        for field in fields {
            var rest = field[...]
            while let (name, value) = Self.directive(&rest) {
                count += 1
                if count > Self.maximumCount { return false }
                take(name, value)
            }
        }
        return true
    }

    private mutating func take(_ name: String, _ value: [UInt8]?) {
        isEmpty = false
        switch name {
        case "no-store": isNoStore = true
        case "no-cache":
            let names = value.map(Self.names) ?? []
            let isReadable = names.allSatisfy { $0.utf8.allSatisfy(\.isToken) }
            if names.isEmpty || !isReadable { isNoCache = true } else { uncachedFields.formUnion(names) }
        case "must-revalidate": isMustRevalidate = true
        case "must-understand": isMustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "only-if-cached": isOnlyIfCached = true
        case "max-age": maxAge = Self.agreed(maxAge, Self.secondsOrNone(value))
        case "stale-while-revalidate":
            staleWhileRevalidate = Self.agreed(staleWhileRevalidate, Self.secondsOrNone(value))
        case "stale-if-error": staleIfError = Self.agreed(staleIfError, Self.secondsOrNone(value))
        case "max-stale": maxStale = Self.agreed(maxStale, value == nil ? .max : Self.secondsOrNone(value))
        case "min-fresh": minFresh = max(minFresh ?? 0, value.flatMap(Self.seconds) ?? Self.maximumSeconds)
        default: break
        }
    }

    /// Of two arguments that differ none is believed.
    private static func agreed(_ known: Int64?, _ seconds: Int64) -> Int64 {
        known == nil || known == seconds ? seconds : 0
    }

    private static func secondsOrNone(_ value: [UInt8]?) -> Int64 { value.flatMap(seconds) ?? 0 }

    /// `delta-seconds` (RFC 9111 §1.2.2); nil for anything but digits.
    static func seconds(_ digits: some Collection<UInt8>) -> Int64? {
        if digits.isEmpty { return nil }
        var seconds: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            seconds = min(seconds * 10 + Int64(digit - 0x30), maximumSeconds)
        }
        return seconds
    }

    private static func names(_ value: [UInt8]) -> [String] {
        value.split(separator: UInt8(ascii: ",")).map { part in
            let name = part.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed()
            return String(decoding: name, as: UTF8.self).lowercased()
        }.filter { !$0.isEmpty }
    }

    /// An argument that no directive can read: what it restricts stays restricted.
    private static let unreadable = [UInt8(ascii: "\"")]

    /// Takes the next directive of a list: its name in lower case, and its argument without quotes, or `unreadable`. An
    /// element that is no directive is skipped. Nil at the end.
    private static func directive(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8]?)? {
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            if rest.isEmpty { return nil }
            let name = rest.prefix(while: \.isToken)
            rest = rest.dropFirst(name.count).drop(while: \.isBlank)
            var value: [UInt8]?
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: \.isBlank)
                value = argument(&rest)
            }
            if skipElement(&rest) { value = unreadable }
            if name.isEmpty { continue }
            return (String(decoding: name, as: UTF8.self).lowercased(), value)
        }
    }

    private static func argument(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix(while: \.isToken)
            rest = rest.dropFirst(token.count).drop(while: \.isBlank)
            return Array(token)
        }
        let quoted = quoted(&rest)
        rest = rest.drop(while: \.isBlank)
        return quoted ?? unreadable
    }

    /// Takes what is left of the element, with its quoted strings. Returns whether anything was.
    private static func skipElement(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, first != UInt8(ascii: ",") else { return false }
        while let byte = rest.first, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quoted(&rest) } else { rest.removeFirst() }
        }
        return true
    }

    /// The content of a quoted string; nil if it has no end.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return content }
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                content.append(escaped)
            } else {
                content.append(byte)
            }
        }
        return nil
    }
}

extension CacheControl {
    /// Of a request: `Pragma: no-cache` counts where there is no `Cache-Control` (RFC 9111 §5.4).
    init(of fields: HeaderFields) {
        self.init(fields.bytes(for: "Cache-Control"))
        guard isEmpty, fields.contains("Pragma") else { return }
        var pragma = CacheControl(fields.bytes(for: "Pragma"))
        if pragma.isNoCache {
            pragma = CacheControl()
            pragma.isNoCache = true
            self = pragma
        }
    }

    init(of head: ResponseHead) { self.init(head.bytes(for: "Cache-Control")) }
}

extension HeaderFields {
    /// The bytes of every value of `name`, in order.
    func bytes(for name: String) -> [[UInt8]] {
        if !contains(name) { return [] }
        let name = name.lowercased()
        return filter { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }.map(\.bytes)
    }
}
