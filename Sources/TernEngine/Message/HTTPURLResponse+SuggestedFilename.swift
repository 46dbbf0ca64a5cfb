// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles

extension HTTPURLResponse {
    /// A name for a file with the body: the server's proposal in `Content-Disposition` (RFC 6266), else the last
    /// component of the URL's path, else "Unknown" as in Foundation.
    ///
    /// Always one component that stays in its folder: it contains no `/`, `\`, NUL or control character, begins with no
    /// dot, and has at most 255 bytes. A file of that name may exist.
    public var suggestedFilename: String? { proposedFilename ?? urlFilename ?? "Unknown" }

    /// The server's proposal; nil if it is not usable as a file name.
    public var proposedFilename: String? {
        head["Content-Disposition"].flatMap { ContentDisposition($0).fileName }.flatMap(FileName.safe)
    }

    /// The URL's proposal.
    var urlFilename: String? {
        guard let url, let target = try? Destination(absoluteString: url.absoluteString).target,
            case .origin(let path) = target,
            let last = path.prefix(while: { $0 != "?" }).utf8.split(separator: UInt8(ascii: "/")).last
        else { return nil }
        return FileName.safe(ByteText.text(ofPath: PercentEncoding.decoded(Array(last)[...]) ?? Array(last)))
    }
}
