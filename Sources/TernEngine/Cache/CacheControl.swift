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
        if !ListRules.directives.read(fields, { take($0) }) { self = Self.forbidding }
    }

    init(of head: ResponseHead) {
        if !head.readList("Cache-Control", .directives, { take($0) }) { self = Self.forbidding }
    }

    private static var forbidding: CacheControl {
        var control = CacheControl()
        (control.isNoStore, control.isNoCache, control.isMustRevalidate, control.isEmpty) = (true, true, true, false)
        return control
    }

    /// Takes an element; one that does not begin with a name is skipped.
    private mutating func take(_ element: Span<UInt8>) {
        let end = element.end(from: 0, while: \.isToken)
        if end == 0 { return }
        isEmpty = false
        let argument = Argument(element, from: element.end(from: end, while: \.isBlank))
        let name = element.extracting(0..<end)
        if name.isName("no-store") {
            isNoStore = true
        } else if name.isName("no-cache") {
            let names = argument.names(in: element)
            if let names, !names.isEmpty { uncachedFields.formUnion(names) } else { isNoCache = true }
        } else if name.isName("must-revalidate") {
            isMustRevalidate = true
        } else if name.isName("must-understand") {
            isMustUnderstand = true
        } else if name.isName("public") {
            isPublic = true
        } else if name.isName("private") {
            isPrivate = true
        } else if name.isName("only-if-cached") {
            isOnlyIfCached = true
        } else if name.isName("min-fresh") {
            minFresh = max(minFresh ?? 0, argument.seconds(in: element) ?? Self.maximumSeconds)
        } else {
            takeLimit(name, argument == .none && name.isName("max-stale") ? .max : argument.seconds(in: element) ?? 0)
        }
    }

    private mutating func takeLimit(_ name: Span<UInt8>, _ seconds: Int64) {
        if name.isName("max-age") {
            maxAge = Self.agreed(maxAge, seconds)
        } else if name.isName("stale-while-revalidate") {
            staleWhileRevalidate = Self.agreed(staleWhileRevalidate, seconds)
        } else if name.isName("stale-if-error") {
            staleIfError = Self.agreed(staleIfError, seconds)
        } else if name.isName("max-stale") {
            maxStale = Self.agreed(maxStale, seconds)
        }
    }

    /// Of two arguments that differ none is believed.
    private static func agreed(_ known: Int64?, _ seconds: Int64) -> Int64 {
        known == nil || known == seconds ? seconds : 0
    }

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
}

/// What follows the name of a directive.
private enum Argument: Equatable {
    case none
    /// This part of the element.
    case token(Range<Int>)
    /// The content of a quoted string.
    case quoted([UInt8])
    /// What no directive can read: what it restricts stays restricted.
    case unreadable

    /// - Parameter start: behind the name and the blanks that follow it.
    init(_ element: Span<UInt8>, from start: Int) {
        self = .none
        if start == element.count { return }
        var end = start
        if element[start] == UInt8(ascii: "=") {
            let start = element.end(from: start + 1, while: \.isBlank)
            if start < element.count, element[start] == UInt8(ascii: "\"") {
                (self, end) = Self.quoted(element, from: start + 1)
            } else {
                end = element.end(from: start, while: \.isToken)
                self = .token(start..<end)
            }
            end = element.end(from: end, while: \.isBlank)
        }
        if end < element.count { self = .unreadable }
    }

    /// The string that begins behind the quote at `start`, and where it ends.
    private static func quoted(_ element: Span<UInt8>, from start: Int) -> (Argument, end: Int) {
        var (content, index) = ([UInt8](), start)
        while index < element.count {
            if element[index] == UInt8(ascii: "\"") { return (.quoted(content), index + 1) }
            if element[index] == UInt8(ascii: "\\"), index + 1 < element.count { index += 1 }
            content.append(element[index])
            index += 1
        }
        return (.unreadable, element.count)
    }

    func seconds(in element: Span<UInt8>) -> Int64? {
        switch self {
        case .token(let range): CacheControl.seconds(element.copy(range))
        case .quoted(let content): CacheControl.seconds(content)
        case .none, .unreadable: nil
        }
    }

    /// The names in a list, in lower case; nil if it is none.
    func names(in element: Span<UInt8>) -> [String]? {
        let list: [UInt8]
        switch self {
        case .token(let range): list = element.copy(range)
        case .quoted(let content): list = content
        case .none, .unreadable: return nil
        }
        var (names, isReadable) = ([String](), true)
        let isWhole = ListRules.tokens.read([list]) { name in
            if name.end(from: 0, while: \.isToken) < name.count { isReadable = false }
            names.append(name.lowercasedName)
        }
        return isWhole && isReadable ? names : nil
    }
}

extension Span<UInt8> {
    /// The first position from `start` on that has another byte; the end if there is none.
    fileprivate func end(from start: Int, while isPart: (UInt8) -> Bool) -> Int {
        var end = start
        while end < count, isPart(self[end]) { end += 1 }
        return end
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
}

extension HeaderFields {
    /// The bytes of every value of `name`, in order.
    func bytes(for name: String) -> [[UInt8]] {
        if !contains(name) { return [] }
        let name = name.lowercased()
        return filter { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }.map(\.bytes)
    }
}
