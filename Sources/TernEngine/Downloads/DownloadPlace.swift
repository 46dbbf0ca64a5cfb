// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles

/// Where a download is to be.
enum DownloadPlace: Sendable {
    /// In a file of its own in this folder; the delegate that is told of it takes it from there.
    case temporary(folder: String)
    /// At this path.
    case target(String, DownloadSettings)
    /// At the path that is chosen when the response has come.
    case chosen(@Sendable (HTTPURLResponse) -> URL, DownloadSettings)

    init(temporaryIn folder: URL?) {
        self = .temporary(folder: (folder ?? FileManager.default.temporaryDirectory).path(percentEncoded: false))
    }

    init(_ target: URL, _ settings: DownloadSettings) {
        self = .target(FilePath.resolvingFolder(of: target.path(percentEncoded: false)), settings)
    }

    /// The same, once the response has come. On the reactor, so that the file system is not asked: ``straightened``.
    func known(by response: HTTPURLResponse) -> DownloadPlace {
        guard case .chosen(let choose, let settings) = self else { return self }
        return .target(choose(response).path(percentEncoded: false), settings)
    }

    /// The same, its folder named without links. Waits for the file system.
    var straightened: DownloadPlace {
        guard case .target(let path, let settings) = self else { return self }
        return .target(FilePath.resolvingFolder(of: path), settings)
    }

    /// Nil for a temporary file.
    var settings: DownloadSettings? {
        switch self {
        case .temporary: nil
        case .target(_, let settings), .chosen(_, let settings): settings
        }
    }

    /// Whether only the file itself is wanted, and not whatever the server says.
    var wantsFileOnly: Bool { settings?.acceptsAnyStatus == false }

    var isTarget: Bool { settings != nil }

    /// Whether what has come is kept when the download breaks off.
    var keepsFirstPart: Bool { settings?.isResumable ?? true }
}
