// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// The beginning of a body, which an attempt that broke off has left in the file of `-C -`. The next attempt requests the
/// rest, on the condition that the resource is unchanged.
struct FilePart: Sendable {
    /// Nil if the server has named none: then the lengths alone show a change.
    let validator: StrongValidator?
    /// The resource that it is of: a validator is one of a resource.
    let source: ContentSource?
    /// The length of the whole, if it is known.
    let totalLength: Int64?
    /// The length that the file had before, if the first attempt requested the whole: a response that brings the whole
    /// is written from there. Nil if the file had a part of the body already.
    let beginning: Int64?

    /// - Parameters:
    ///   - response: the one that broke off.
    ///   - earlier: the part that it continued.
    init(_ response: HTTPURLResponse, after earlier: FilePart?, beginning: Int64?) {
        validator = StrongValidator(of: response.head) ?? earlier?.validator
        source = ContentSource(response.url)
        let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(ContentRange.init)
        if case .part(_, _, let total)? = range, response.statusCode == 206 {
            totalLength = total ?? earlier?.totalLength
        } else {
            totalLength = response.head.contentLength.map(Int64.init(clamping:))
        }
        self.beginning = beginning
    }

    /// Makes `request` ask for the bytes from `offset` on.
    func request(from offset: Int64, _ request: inout URLRequest) {
        request.headers["Range"] = "bytes=\(offset)-"
        request.headers["If-Range"] = nil
        guard let validator else { return }
        request.headers.append(HeaderField(name: "If-Range", bytes: validator.fieldValue.bytes))
    }

    /// Whether a 206 is about another state of the resource, or of another form.
    func isContradicted(by response: HTTPURLResponse) -> Bool {
        if source != ContentSource(response.url) { return true }
        if validator?.isContradicted(by: response.head) == true { return true }
        if response.isContentDecoded || !AppliedCodings(of: response.head).areIdentity { return true }
        guard let totalLength,
            case .part(_, _, let total?)? = response.value(forHTTPHeaderField: "Content-Range").flatMap(
                ContentRange.init)
        else { return false }
        return total != totalLength
    }
}
