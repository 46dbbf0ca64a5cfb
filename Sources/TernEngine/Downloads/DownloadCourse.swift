// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What the responses to a download mean: which of them bring the file, and from which byte on. Decides, does nothing.
///
/// A part is only asked for on condition that the whole is what it was (`If-Range`, RFC 9110 §13.1.5), so a server that
/// goes by the rules sends the whole if it is not. What the others send is found out by looking.
struct DownloadCourse {
    /// The first part, and the whole it is of.
    struct FirstPart {
        let validator: StrongValidator
        let length: Int64
        let totalLength: Int64?
    }

    /// What a response is.
    enum Meaning {
        /// It brings the whole; what was there of it is of no use.
        case whole
        /// It brings what follows the first `offset` bytes.
        case rest(offset: Int64, totalLength: Int64?)
        /// It is no file, and no reason to give up what is there of one.
        case other
        /// It is of no use. Ask for the rest from there on, or for the whole.
        case askAgain
        /// The server does not keep to the rules.
        case wrong(ContentRangeError)
    }

    /// Nil for the whole.
    private(set) var firstPart: FirstPart?
    /// Whether there was a first part in the beginning.
    private let isResuming: Bool
    /// Whether only the file itself is wanted, and not whatever the server says.
    private let wantsFileOnly: Bool
    /// Whether it was asked for less than there is, because the server has no more.
    private var isAdjusted = false
    /// The range that the user's own request asks for.
    private var wanted: RequestedRange?

    init(_ firstPart: FirstPart? = nil, wantsFileOnly: Bool = false) {
        isResuming = firstPart != nil
        self.wantsFileOnly = wantsFileOnly
        // An empty partial file cannot be resumed. For a complete one the request asks for its last byte, because an
        // empty range cannot be asked for.
        guard let firstPart, firstPart.length > 0 else { return }
        self.firstPart = firstPart
        if let total = firstPart.totalLength, firstPart.length >= total { shorten(to: total - 1) }
    }

    private mutating func shorten(to length: Int64) {
        isAdjusted = true
        firstPart = firstPart.flatMap { part in
            length <= 0 ? nil : FirstPart(validator: part.validator, length: length, totalLength: part.totalLength)
        }
    }

    /// Takes note of what `request` asks for.
    mutating func begin(_ request: URLRequest) {
        if !isResuming { wanted = request.headers["Range"].map(RequestedRange.init) }
    }

    /// Has `request` ask for what is missing.
    func prepare(_ request: inout URLRequest) {
        request.headers["Range"] = firstPart.map { "bytes=\($0.length)-" }
        request.headers["If-Range"] = firstPart?.validator.fieldValue
    }

    mutating func head(_ head: ResponseHead) -> Meaning {
        guard let firstPart else { return meaning(ofWhole: head) }
        switch head.status {
        case 200: return .whole
        case 206: return part(head, after: firstPart)
        case 416:
            if !isAdjusted, case .unsatisfied(let total)? = head["Content-Range"].flatMap(ContentRange.init),
                total == firstPart.length
            {
                // There is no more to be had: the last byte and its validator say whether that is because all is there.
                shorten(to: total - 1)
            } else {
                self.firstPart = nil
            }
            return .askAgain
        default: return .other
        }
    }

    /// Of a response to a request without a range of the download's. A part that was not asked for is not a file.
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

    private mutating func part(_ head: ResponseHead, after firstPart: FirstPart) -> Meaning {
        if firstPart.validator.isContradicted(by: head) || !ContentCoding.isIdentity(head) {
            self.firstPart = nil
            return .askAgain
        }
        do throws(ContentRangeError) {
            return .rest(offset: firstPart.length, totalLength: try Self.total(head, after: firstPart))
        } catch {
            return .wrong(error)
        }
    }

    /// RFC 9110 §15.3.7
    private static func part(
        _ head: ResponseHead
    ) throws(ContentRangeError) -> (first: Int64, last: Int64, total: Int64?) {
        let type = head["Content-Type"]?.lowercased() ?? ""
        if type.hasPrefix("multipart/byteranges") { throw .multipart }
        let values = head.values(for: "Content-Range")
        guard let value = values.first else { throw .missing }
        guard values.count == 1, case .part(let first, let last, let total)? = ContentRange(value) else {
            throw .malformed
        }
        return (first, last, total)
    }

    /// How long the part in a 206 response is, if it says so: its content may come in chunks, whose end says nothing of
    /// the part's.
    static func partLength(_ head: ResponseHead) -> Int64? {
        guard head.status == 206, let (first, last, _) = try? part(head) else { return nil }
        return last - first + 1
    }

    private static func total(_ head: ResponseHead, after firstPart: FirstPart) throws(ContentRangeError) -> Int64 {
        let (first, last, total) = try part(head)
        if first != firstPart.length { throw .start(first, asked: firstPart.length) }
        if let total, let before = firstPart.totalLength, total != before { throw .total(total, before: before) }
        // Both ends are in the range of the type, and the first is not less than nothing.
        if let length = head.contentLength, Int64(length) - 1 != last - first {
            throw .length(Int64(length), ofPart: last - first + 1)
        }
        // If the length of the whole is not known, this part has to be its end; `last` is less than the greatest
        // number.
        return total ?? firstPart.totalLength ?? (last + 1)
    }
}

extension DownloadCourse.Meaning {
    /// Whether `response`, which means this, brings a file. A success that answers no range request, such as 202 or
    /// 204, does not.
    func isFile(_ response: HTTPURLResponse) -> Bool {
        switch self {
        case .whole, .rest: (200..<300).contains(response.statusCode)
        case .other, .askAgain, .wrong: false
        }
    }
}
