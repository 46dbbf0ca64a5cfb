// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

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
