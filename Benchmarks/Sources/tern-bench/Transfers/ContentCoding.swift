// SPDX-License-Identifier: Apache-2.0

internal import CCoding

/// A coding of text that is downloaded.
enum ContentCoding: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    case gzip
    case brotli = "br"
    case zstd

    /// Of a coded file, by which the server knows it.
    var pathExtension: String {
        switch self {
        case .gzip: "gz"
        case .brotli: "br"
        case .zstd: "zst"
        }
    }

    /// What its library is called in C.
    var library: content_coding {
        switch self {
        case .gzip: CODING_GZIP
        case .brotli: CODING_BROTLI
        case .zstd: CODING_ZSTD
        }
    }
}
