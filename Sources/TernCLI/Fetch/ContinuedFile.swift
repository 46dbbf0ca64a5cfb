// SPDX-License-Identifier: Apache-2.0
// Safety: the path is passed to one system call, which copies it.
import Glibc
import TernEngine
import TernFiles

/// The file of `-C`, to which each attempt adds what arrives.
struct ContinuedFile {
    let path: String
    /// Its length before the first attempt.
    let beginning: Int64

    /// Nil if the output is no such file: what was written cannot be undone then.
    init?(_ plan: PlannedFetch) {
        guard plan.fileRules.existing == .append, let path = plan.path.flatMap(OutputTarget.regularFile) else {
            return nil
        }
        self.path = path
        beginning = FileStatus(of: path)?.length ?? 0
    }

    var length: Int64 { FileStatus(of: path)?.length ?? 0 }

    /// Removes what the attempts have added.
    func restore() throws(OutputError) {
        guard length > beginning else { return }
        guard unsafe ByteText.withPath(path, { unsafe truncate($0, Int(beginning)) }) == 0 else { throw .last(path) }
    }
}
