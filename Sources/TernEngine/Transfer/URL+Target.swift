// SPDX-License-Identifier: Apache-2.0
import Foundation

extension URL {
    /// The file at `path` as the system takes it: a tilde is a character, and `..` leads where the folder before it is in.
    init(target path: String) {
        let isPlain = path.hasPrefix("/") || !path.split(separator: "/").contains("..")
        let folder = FileManager.default.currentDirectoryPath
        let plain = !isPlain ? folder + "/" + path : path.hasPrefix("~") ? "./" + path : path
        self.init(filePath: plain, directoryHint: .notDirectory)
    }
}
