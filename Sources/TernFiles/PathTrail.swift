// SPDX-License-Identifier: Apache-2.0
import TernSystem

/// The folders in which a change can lead paths elsewhere, links followed.
///
/// Of a folder that holds a file, a link on the way or a name that is missing, these entries count; of the others on the
/// way only that they are where they are.
package struct PathTrail: Sendable, Hashable {
    /// The names of entries by the path of their folder, which has no links.
    package private(set) var folders: [String: Set<[UInt8]>] = [:]

    package init() {}

    /// As many links as the kernel follows.
    private static let maximumLinks = 40

    /// Adds the folders of a path. Blocks.
    package mutating func add(_ path: String) {
        if path.utf8.contains(0) { return }
        var folder = "/"
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        // From the last one on, so that the next is taken from the end.
        var rest = Self.components(of: path)
        if !isAbsolute { rest += Self.components(of: FilePath.resolved(".") ?? "/") }
        var links = 0
        while let name = rest.popLast() {
            if name == ".." {
                folder = FilePath.folder(of: folder)
                continue
            }
            let current = (folder == "/" ? "" : folder) + "/" + name
            if let target = FilePath.target(ofLink: current), links < Self.maximumLinks {
                links += 1
                folders[folder, default: []].insert(ByteText.bytes(of: name))
                if target.utf8.first == UInt8(ascii: "/") { folder = "/" }
                rest += Self.components(of: target)
            } else if !rest.isEmpty, FileStatus(ofLink: current)?.kind == .folder {
                folder = current
                if folders[folder] == nil { folders[folder] = [] }
            } else {
                folders[folder, default: []].insert(ByteText.bytes(of: name))
                return
            }
        }
    }

    /// In reverse.
    private static func components(of path: String) -> [String] {
        path.split(separator: "/").reversed().map(String.init).filter { $0 != "." }
    }
}
