// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension HTTPURLResponse {
    /// A name for the file that the body could become: what the server proposes in `Content-Disposition` (RFC 6266),
    /// else the last component of the URL's path, else "Unknown" as in Foundation.
    ///
    /// Always one component that stays in its folder: no `/`, `\`, NUL or control character is in it, no dot in front
    /// of it, and it has 255 octets at most. A file of that name may exist.
    public var suggestedFilename: String? { proposedFilename ?? urlFilename ?? "Unknown" }

    /// What the server proposes; nil if it proposes nothing that could be a file's name.
    public var proposedFilename: String? {
        head["Content-Disposition"].flatMap { ContentDisposition($0).fileName }.flatMap(FileName.safe)
    }

    /// What the URL proposes.
    var urlFilename: String? {
        guard let url, let target = try? Destination(absoluteString: url.absoluteString).target,
            case .origin(let path) = target,
            let last = path.prefix(while: { $0 != "?" }).utf8.split(separator: UInt8(ascii: "/")).last
        else { return nil }
        return FileName.safe(String(decoding: PercentEncoding.decoded(Array(last)[...]) ?? Array(last), as: UTF8.self))
    }
}
