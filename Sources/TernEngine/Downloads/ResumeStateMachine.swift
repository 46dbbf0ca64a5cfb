// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernHTTP1

/// What the responses to a download mean: which of them bring the file, and from which byte on. A pure state machine.
///
/// A part is requested only on the condition that the resource is unchanged (`If-Range`, RFC 9110 §13.1.5), so a
/// correct server sends the whole if it has changed. The responses of other servers are checked.
package struct ResumeStateMachine: Sendable {
    /// The partial file, and the complete file it belongs to.
    package struct PartialContent: Sendable {
        /// Nil if the server has named none: then the lengths alone show a change.
        let validator: StrongValidator?
        let length: Int64
        let totalLength: Int64?
        /// What has sent it; nil if that is not known.
        let source: ContentSource?
        /// The end of the bytes to request; nil for that of the file.
        let end: Int64?

        package init(
            validator: StrongValidator?, length: Int64, totalLength: Int64?, source: ContentSource?, end: Int64? = nil
        ) {
            (self.validator, self.length, self.totalLength, self.source) = (validator, length, totalLength, source)
            self.end = end
        }
    }

    /// The meaning of a response.
    package enum Meaning {
        /// It brings the whole; the partial file is useless.
        case whole
        /// It brings the bytes after the first `offset`.
        case rest(offset: Int64, totalLength: Int64?)
        /// It is not a file, and no reason to discard a partial file.
        case other
        /// It is useless. Request the rest from there on, or the whole.
        case askAgain
        /// The server violates the rules.
        case wrong(ContentRangeError)
    }

    /// Nil for the whole.
    private(set) var partialFile: PartialContent?
    /// Whether there was a partial file at the beginning.
    private let isResuming: Bool
    /// Whether only a success (2xx) becomes the file.
    private let wantsFileOnly: Bool
    /// Whether less than the available bytes was requested, because the server has no more.
    private var isAdjusted = false
    /// The range that the user's own request asks for.
    private var wanted: RequestedRange?

    package init(_ partialFile: PartialContent? = nil, wantsFileOnly: Bool = false) {
        isResuming = partialFile != nil
        self.wantsFileOnly = wantsFileOnly
        // An empty partial file cannot be resumed. For a complete one the request asks for its last byte, because an
        // empty range cannot be asked for.
        guard let partialFile, partialFile.length > 0 else { return }
        self.partialFile = partialFile
        if let total = partialFile.totalLength, partialFile.length >= total { shorten(to: total - 1) }
    }

    private mutating func shorten(to length: Int64) {
        isAdjusted = true
        partialFile = partialFile.flatMap { part in
            length <= 0
                ? nil
                : PartialContent(
                    validator: part.validator, length: length, totalLength: part.totalLength, source: part.source)
        }
    }

    /// Records what `request` asks for.
    mutating func begin(_ request: URLRequest) {
        if !isResuming { wanted = request.headers["Range"].map(RequestedRange.init) }
    }

    /// Makes `request` ask for the missing bytes.
    package func prepare(_ request: inout URLRequest) {
        request.headers["Range"] = partialFile.map { part in
            "bytes=\(part.length)-" + (part.end.map { String($0 - 1) } ?? "")
        }
        request.headers["If-Range"] = nil
        guard let validator = partialFile?.validator?.fieldValue else { return }
        request.headers.append(HeaderField(name: "If-Range", bytes: validator.bytes))
    }

    package mutating func head(_ response: HTTPURLResponse) -> Meaning {
        let head = response.head
        guard let partialFile else { return meaning(ofWhole: head) }
        switch head.status {
        case 200: return .whole
        case 206: return part(head, ContentSource(response.url), after: partialFile)
        case 416:
            if !isAdjusted, case .unsatisfied(let total)? = head["Content-Range"].flatMap(ContentRange.init),
                total == partialFile.length
            {
                // The server has no more bytes: the last byte and its validator show whether that is because the
                // partial file is complete.
                shorten(to: total - 1)
            } else {
                self.partialFile = nil
            }
            return .askAgain
        default: return .other
        }
    }

    /// For a response to a request without a range of the download's. A part that was not requested is not a file.
    private func meaning(ofWhole head: ResponseHead) -> Meaning {
        guard head.status == 206, wantsFileOnly || isResuming else {
            return isResuming && head.status != 200 ? .other : .whole
        }
        guard let wanted else { return .wrong(.unasked) }
        do throws(ContentRangeError) {
            let (first, _, _) = try Self.part(head)
            if let asked = wanted.first, first != asked { throw .start(first, asked: asked) }
            return .whole
        } catch {
            return .wrong(error)
        }
    }

    private mutating func part(
        _ head: ResponseHead, _ source: ContentSource?, after partialFile: PartialContent
    ) -> Meaning {
        // A validator is one of a resource (RFC 9110 §8.8.3): another resource may have the same.
        let isElsewhere = partialFile.source.map { $0 != source } ?? false
        if isElsewhere || partialFile.validator?.isContradicted(by: head) == true
            || !AppliedCodings(of: head).areIdentity
        {
            self.partialFile = nil
            return .askAgain
        }
        do throws(ContentRangeError) {
            return .rest(offset: partialFile.length, totalLength: try Self.total(head, after: partialFile))
        } catch {
            return .wrong(error)
        }
    }

    /// RFC 9110 §15.3.7
    private static func part(
        _ head: ResponseHead
    ) throws(ContentRangeError) -> (first: Int64, last: Int64, total: Int64?) {
        let multipart = "multipart/byteranges"
        let type = head.bytes(for: "Content-Type").first?.prefix(multipart.utf8.count) ?? []
        if String(decoding: type, as: UTF8.self).lowercased() == multipart { throw .multipart }
        let values = head.values(for: "Content-Range")
        guard let value = values.first else { throw .missing }
        guard values.count == 1, case .part(let first, let last, let total)? = ContentRange(value) else {
            throw .malformed
        }
        return (first, last, total)
    }

    /// The length of the part in a 206 response, if given: its content may come in chunks, whose end does not show that
    /// the part is complete.
    static func partLength(_ head: ResponseHead) -> Int64? {
        guard head.status == 206, let (first, last, _) = try? part(head) else { return nil }
        return last - first + 1
    }

    private static func total(_ head: ResponseHead, after partialFile: PartialContent) throws(ContentRangeError)
        -> Int64
    {
        let (first, last, total) = try part(head)
        if first != partialFile.length { throw .start(first, asked: partialFile.length) }
        if let total, let before = partialFile.totalLength, total != before { throw .total(total, before: before) }
        // Both ends are in the range of the type, and the first is not negative.
        if let length = head.contentLength, Int64(length) - 1 != last - first {
            throw .length(Int64(length), ofPart: last - first + 1)
        }
        // If the length of the whole is unknown, this part must be its end; `last` is less than the maximum.
        return total ?? partialFile.totalLength ?? (last + 1)
    }
}

/// The resource that content is from, as far as it stays the same while a download is resumed: origin and path of the URL
/// that answered, after redirects. The query does not count, because redirects often sign it anew.
package struct ContentSource: Sendable, Hashable {
    let text: String

    init(text: String) { self.text = text }

    /// Nil for a URL that is none of http or https.
    package init?(_ url: URL?) {
        guard let url, let destination = try? URLRequest(url: url).destination.get() else { return nil }
        text = "\(destination.origin)\(destination.originForm.text.prefix { $0 != "?" })"
    }
}

extension ResumeStateMachine.Meaning {
    /// Whether `response`, with this meaning, brings a file. A success that answers no range request, such as 202 or
    /// 204, does not.
    func isFile(_ response: HTTPURLResponse) -> Bool {
        switch self {
        case .whole, .rest: (200..<300).contains(response.statusCode)
        case .other, .askAgain, .wrong: false
        }
    }
}
