// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

extension HTTPOrigin {
    /// The origin that a request to a URL is sent to; nil for a URL that is none of http or https.
    init?(of url: URL) {
        guard let destination = try? Destination(absoluteString: url.absoluteString) else { return nil }
        self = destination.origin
    }
}

/// The target of a request: the client's reading of an http or https URL (RFC 9110 §4.2).
struct Destination: Sendable, Hashable {
    let origin: HTTPOrigin
    let target: RequestTarget

    init(origin: HTTPOrigin, target: RequestTarget) {
        self.origin = origin
        self.target = target
    }

    /// The target as the origin gets it, also where a proxy gets the whole URL.
    var originForm: RequestTarget {
        if case .absolute(let url) = target, let uri = try? AbsoluteURI(url) { uri.target } else { target }
    }

    /// Reads an absolute URL. The path loses its dot segments (RFC 3986 §6.2.2.3), also those with escapes for dots
    /// (WHATWG URL §4.4), because servers and the filters before them differ in what they make of one.
    ///
    /// - Parameter isTyped: whether the path stays as it is.
    init(absoluteString: String, isTyped: Bool = false) throws(InvalidRequest) {
        do throws(AbsoluteURI.Refusal) {
            let uri = try AbsoluteURI(absoluteString)
            origin = uri.origin
            target = isTyped ? uri.target : uri.target.withoutDotSegments
        } catch {
            switch error {
            case .scheme(let scheme): throw .unsupportedScheme(scheme)
            case .host(let host): throw .invalidHost(host)
            case .port(let port): throw .invalidPort(port)
            case .userinfo: throw .ambiguousUserinfo
            }
        }
    }
}

extension RequestTarget {
    fileprivate var withoutDotSegments: RequestTarget {
        guard case .origin(let text) = self, Self.mayHaveDotSegments(text) else { return self }
        let path = text.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment -> Substring in
            switch segment.lowercased() {
            case ".", "%2e": return "."
            case "..", ".%2e", "%2e.", "%2e%2e": return ".."
            default: return segment
            }
        }
        return .origin(URIReference.withoutDotSegments(segments.joined(separator: "/")) + text[path.endIndex...])
    }

    /// Most paths have no segment that begins with a dot, or with an escape.
    private static func mayHaveDotSegments(_ text: String) -> Bool {
        var isFirst = false
        for byte in text.utf8 {
            if isFirst, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            if byte == UInt8(ascii: "?") { return false }
            isFirst = byte == UInt8(ascii: "/")
        }
        return false
    }
}
