// SPDX-License-Identifier: Apache-2.0

/// Which large bodies go where, in the order of the table.
enum TransferScenario: String, CaseIterable, Encodable, Hashable, Sendable {
    case uploadFromFile = "upload-file"
    case uploadFromMemory = "upload-memory"
    case download
    case decoding
    case collectingMegabyte = "collecting-1-MB"
    case collectingTenMegabytes = "collecting-10-MB"

    /// The decoded size of what goes one way or the other, in bytes.
    var size: Int {
        switch self {
        case .uploadFromFile, .uploadFromMemory, .download, .decoding: Scenario.Body.large.size
        case .collectingMegabyte: 1 << 20
        case .collectingTenMegabytes: 10 << 20
        }
    }

    /// How many at a time.
    var connections: Int {
        switch self {
        case .uploadFromFile, .uploadFromMemory, .download, .decoding: 1
        case .collectingMegabyte, .collectingTenMegabytes: 16
        }
    }

    /// Where it is downloaded from; nil for an upload.
    var path: String? {
        switch self {
        case .uploadFromFile, .uploadFromMemory: nil
        case .download: Scenario.Body.large.path
        case .decoding: "/text.gz"
        case .collectingMegabyte, .collectingTenMegabytes: "/\(rawValue)"
        }
    }

    var title: String {
        switch self {
        case .uploadFromFile: "upload of 100 MB from a file"
        case .uploadFromMemory: "upload of 100 MB from memory"
        case .download: "download of 100 MB"
        case .decoding: "download of 100 MB of text, coded with gzip"
        case .collectingMegabyte: "bodies of 1 MB, each had whole, 16 connections"
        case .collectingTenMegabytes: "bodies of 10 MB, each had whole, 16 connections"
        }
    }

    var clients: [TransferClient] {
        switch self {
        case .uploadFromFile, .uploadFromMemory: [.curlMulti, .ternReactor, .ternDelegate]
        case .download: [.curlMulti, .ternReactor, .ternDelegate, .ternGlobal]
        case .decoding: [.zlib, .ternReactorCoded, .ternReactor, .ternDelegateCoded, .ternDelegate, .curlMulti]
        case .collectingMegabyte, .collectingTenMegabytes: [.curlMulti, .curlDiscarding, .ternReactor, .ternGlobal]
        }
    }
}
