// SPDX-License-Identifier: Apache-2.0

/// The name of a workload, such as `spiffe://example.org/payments` (SPIFFE-ID §2): a trust domain, and a path within it.
///
/// The form is strict, so that two names are equal exactly if their bytes are: no upper case in scheme and trust domain,
/// no percent-encoding, no empty, `.` or `..` segment, no slash at the end, and no user, port, query or fragment.
public struct SPIFFEID: Sendable, Hashable {
    /// The name of a domain, such as `example.org`, whose authorities issue the certificates of its workloads. It looks
    /// like a host and is none: nothing resolves it.
    public struct TrustDomain: Sendable, Hashable {
        /// Lower-case letters, digits, dots, hyphens and underscores; 1 to 255 of them.
        public let name: String

        /// Reads a trust domain without scheme and path, such as `example.org`.
        public init(_ name: String) throws(SPIFFEIDError) {
            try self.init(name.utf8[...])
        }

        fileprivate init(_ bytes: Substring.UTF8View) throws(SPIFFEIDError) {
            if bytes.isEmpty { throw .missingTrustDomain }
            if bytes.contains(UInt8(ascii: "@")) { throw .userInfo }
            if bytes.contains(UInt8(ascii: ":")) { throw .port }
            guard bytes.count <= 255 else { throw .longTrustDomain(bytes.count) }
            guard bytes.allSatisfy(\.isOfTrustDomain) else { throw .trustDomainCharacter(Self.text(bytes)) }
            name = Self.text(bytes)
        }

        private static func text(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The trust domain.
    public let trustDomain: TrustDomain
    /// Empty for the trust domain's own name; otherwise it begins with a slash.
    public let path: String

    private static let scheme = "spiffe://"
    private static let maximumLength = 2048

    /// Reads a SPIFFE ID of at most 2048 bytes.
    public init(_ text: String) throws(SPIFFEIDError) {
        let bytes = text.utf8
        guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes.count) }
        guard text.hasPrefix(Self.scheme), bytes.starts(with: Self.scheme.utf8) else { throw .scheme }
        if bytes.contains(UInt8(ascii: "?")) { throw .query }
        if bytes.contains(UInt8(ascii: "#")) { throw .fragment }
        if bytes.contains(UInt8(ascii: "%")) { throw .percentEncoding }
        let rest = bytes.dropFirst(Self.scheme.utf8.count)
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        trustDomain = try TrustDomain(rest[..<slash])
        try Self.check(path: rest[slash...])
        path = String(decoding: rest[slash...], as: UTF8.self)
    }

    private static func check(path: Substring.UTF8View) throws(SPIFFEIDError) {
        if path.isEmpty { return }
        if path.last == UInt8(ascii: "/") { throw .trailingSlash }
        for segment in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if segment.isEmpty { throw .emptySegment }
            guard segment.allSatisfy(\.isOfPath) else {
                throw .pathCharacter(String(decoding: segment, as: UTF8.self))
            }
            if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) { throw .dotSegment }
        }
    }

    /// Whether this is the other one, or its path continues the other's by further segments: `spiffe://a/b/c` is within
    /// `spiffe://a/b` and within `spiffe://a`, and `spiffe://a/bc` is not within `spiffe://a/b`.
    public func isWithin(_ other: SPIFFEID) -> Bool {
        trustDomain == other.trustDomain
            && (path == other.path || path.utf8.starts(with: (other.path + "/").utf8))
    }
}

extension SPIFFEID: CustomStringConvertible {
    /// The text that was read.
    public var description: String { Self.scheme + trustDomain.name + path }
}

extension SPIFFEID.TrustDomain: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension UInt8 {
    fileprivate var isOfTrustDomain: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    fileprivate var isOfPath: Bool {
        isOfTrustDomain || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}

/// Why a text is not a SPIFFE ID, or not the name of a trust domain.
public enum SPIFFEIDError: Error, Sendable, Hashable {
    /// More than 2048 bytes; this many.
    case tooLong(Int)
    /// The text does not begin with `spiffe://`, in lower case.
    case scheme
    /// There is no trust domain.
    case missingTrustDomain
    /// The trust domain has more than 255 bytes; this many.
    case longTrustDomain(Int)
    /// This trust domain has other bytes than lower-case letters, digits, dots, hyphens and underscores.
    case trustDomainCharacter(String)
    /// There is user information before the trust domain.
    case userInfo
    /// There is a port.
    case port
    /// There is a query.
    case query
    /// There is a fragment.
    case fragment
    /// A byte is percent-encoded.
    case percentEncoding
    /// The path ends with a slash.
    case trailingSlash
    /// A segment of the path is empty.
    case emptySegment
    /// A segment of the path is `.` or `..`.
    case dotSegment
    /// This segment of the path has other bytes than letters, digits, dots, hyphens and underscores.
    case pathCharacter(String)
}

extension SPIFFEIDError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let count): "a SPIFFE ID has at most 2048 bytes, and this has \(count)"
        case .scheme: "a SPIFFE ID begins with spiffe://"
        case .missingTrustDomain: "a SPIFFE ID has a trust domain"
        case .longTrustDomain(let count): "a trust domain has at most 255 bytes, and this has \(count)"
        case .trustDomainCharacter(let text):
            "\"\(ShortenedText.shortened(text))\": a trust domain has lower-case letters, digits, dots, hyphens and "
                + "underscores only"
        case .userInfo: "a SPIFFE ID has no user information"
        case .port: "a SPIFFE ID has no port"
        case .query: "a SPIFFE ID has no query"
        case .fragment: "a SPIFFE ID has no fragment"
        case .percentEncoding: "a SPIFFE ID has no percent-encoding"
        case .trailingSlash: "the path of a SPIFFE ID ends without a slash"
        case .emptySegment: "the path of a SPIFFE ID has no empty segment"
        case .dotSegment: "the path of a SPIFFE ID has no segment . or .."
        case .pathCharacter(let text):
            "\"\(ShortenedText.shortened(text))\": a path's segments have letters, digits, dots, hyphens and underscores "
                + "only"
        }
    }
}
