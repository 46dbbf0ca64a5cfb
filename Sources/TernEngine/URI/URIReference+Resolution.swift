// SPDX-License-Identifier: Apache-2.0

extension URIReference {
    /// Resolves this reference against `base`: RFC 3986 §5.2.2, strict. The result has this reference's fragment; the
    /// redirect handles an inherited one (RFC 9110 §10.2.2).
    func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme != nil {
            target.path = Self.withoutDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = Self.withoutDotSegments(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
            return target
        }
        target.path = Self.withoutDotSegments(path.utf8.first == slash ? path : merged(into: base))
        return target
    }

    /// RFC 3986 §5.2.3.
    private func merged(into base: URIReference) -> String {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        let way = Substring(base.path).utf8
        guard let last = way.lastIndex(of: slash) else { return path }
        return String(Substring(way[...last])) + path
    }

    /// RFC 3986 §5.2.4, step by step. Each byte is read at most a few times, however many dots there are.
    static func withoutDotSegments(_ path: String) -> String {
        var input = Array(path.utf8)[...]
        var output: [UInt8] = []
        while !input.isEmpty {
            if input.starts(with: "../".utf8) {  // A
                input = input.dropFirst(3)
            } else if input.starts(with: "./".utf8) || input.starts(with: "/./".utf8) {  // A, B
                input = input.dropFirst(2)
            } else if input.elementsEqual("/.".utf8) {  // B
                input = input.prefix(1)
            } else if input.starts(with: "/../".utf8) {  // C
                input = input.dropFirst(3)
                removeLastSegment(of: &output)
            } else if input.elementsEqual("/..".utf8) {  // C
                input = input.prefix(1)
                removeLastSegment(of: &output)
            } else if input.elementsEqual(".".utf8) || input.elementsEqual("..".utf8) {  // D
                input = []
            } else {  // E
                let segment = input.prefix(1) + input.dropFirst().prefix { $0 != slash }
                output += segment
                input = input.dropFirst(segment.count)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func removeLastSegment(of path: inout [UInt8]) {
        while let byte = path.popLast(), byte != slash {}
    }
}

private let slash = UInt8(ascii: "/")
