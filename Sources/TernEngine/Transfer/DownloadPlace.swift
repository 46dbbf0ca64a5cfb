// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Where a download is to be.
enum DownloadPlace: Sendable {
    /// In a file of its own in this folder; who is told of it takes it from there.
    case temporary(folder: String)
    /// At this path.
    case target(String, DownloadSettings)

    init(temporaryIn folder: URL?) {
        self = .temporary(folder: (folder ?? FileManager.default.temporaryDirectory).path(percentEncoded: false))
    }

    init(_ target: URL, _ settings: DownloadSettings) {
        self = .target(target.path(percentEncoded: false), settings)
    }

    var isTarget: Bool { if case .target = self { true } else { false } }

    var verification: DownloadSettings.Verification? {
        switch self {
        case .temporary: nil
        case .target(_, let settings): settings.verification
        }
    }

    /// Whether what has come is kept when the download breaks off.
    var keepsFirstPart: Bool {
        switch self {
        case .temporary: true
        case .target(_, let settings): settings.isResumable
        }
    }
}
