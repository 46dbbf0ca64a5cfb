// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import Synchronization
import TernFiles
import TernIO

/// Where a download goes.
enum DownloadDestination: Sendable {
    /// To a temporary file in this folder; the delegate moves it from there.
    case temporary(folder: String)
    /// To this path.
    case target(String, DownloadSettings)
    /// To the path that is chosen when the response arrives.
    case chosen(@Sendable (HTTPURLResponse) -> URL, DownloadSettings)
    /// To the file of another download, up to this offset.
    case part(SharedFile, end: Int64)

    init(temporaryIn folder: URL?) {
        self = .temporary(folder: (folder ?? FileManager.default.temporaryDirectory).path(percentEncoded: false))
    }

    init(_ target: URL, _ settings: DownloadSettings) {
        self = .target(FilePath.resolvingFolder(of: target.path(percentEncoded: false)), settings)
    }

    /// The same, once the response has arrived. On the reactor, so it does not access the file system:
    /// ``straightened``.
    func known(by response: HTTPURLResponse) -> DownloadDestination {
        guard case .chosen(let choose, let settings) = self else { return self }
        return .target(choose(response).path(percentEncoded: false), settings)
    }

    /// The same, with its folder resolved. Blocks on the file system.
    var straightened: DownloadDestination {
        guard case .target(let path, let settings) = self else { return self }
        return .target(FilePath.resolvingFolder(of: path), settings)
    }

    /// Nil for a temporary file, and for a part.
    var settings: DownloadSettings? {
        switch self {
        case .temporary, .part: nil
        case .target(_, let settings), .chosen(_, let settings): settings
        }
    }

    /// Whether only a success (2xx) becomes the file.
    var wantsFileOnly: Bool { part != nil || settings?.acceptsAnyStatus == false }

    var isTarget: Bool { if case .temporary = self { false } else { true } }

    /// The file of another download that it is a part of, and the end of the part.
    var part: (file: SharedFile, end: Int64)? { if case .part(let file, let end) = self { (file, end) } else { nil } }

    /// Whether the partial file is kept when the download fails.
    var keepsPartialFile: Bool { settings?.isResumable ?? true }
}

/// The file of a download whose parts are written by several tasks, one write after another.
final class SharedFile: Sendable {
    let file: OutputFile
    /// What an error names.
    let path: String
    /// Does all work on the file.
    let queue: SerialQueue
    private let isOver = Atomic<Bool>(false)

    init(_ file: OutputFile, path: String, on queue: SerialQueue) {
        (self.file, self.path, self.queue) = (file, path, queue)
    }

    /// Whether parts are not written any more.
    var isClosed: Bool { isOver.load(ordering: .relaxed) }

    /// Parts are not written any more, except for a write that is being made.
    func close() { isOver.store(true, ordering: .relaxed) }
}

extension URL {
    /// The file at `path` as the system resolves it: a tilde is a character, and `..` leads to the parent of the
    /// resolved folder.
    package init(target path: String) {
        var path = path
        if !path.hasPrefix("/") {
            if path.split(separator: "/").contains("..") {
                path = FileManager.default.currentDirectoryPath + "/" + path
            } else if path.hasPrefix("~") {
                path = "./" + path
            }
        }
        self.init(filePath: path, directoryHint: .notDirectory)
    }
}
