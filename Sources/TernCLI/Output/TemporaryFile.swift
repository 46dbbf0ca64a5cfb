// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TernFiles

/// Chooses the paths of the file that collects a body for `-o`, and removes the file if a signal ends the command.
///
/// Created before the file, because a signal may come at any time. Only file systems without nameless files have
/// something to remove.
final class TemporaryFile: Sendable {
    /// The path beside the target.
    let path: String
    /// The path for a target in a folder that cannot be written.
    let fallbackPath: String
    private let interruption: Interruption

    init(beside target: String) {
        path = FilePath.temporary(beside: target)
        fallbackPath = FilePath.temporary(in: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        // A closed reader is then an error of write(2), after which the command removes the file.
        _ = signal(SIGPIPE, SIG_IGN)
        interruption = Interruption { [path, fallbackPath] number in
            OutputFile.remove(path)
            OutputFile.remove(fallbackPath)
            Interruption.die(of: number)
        }
    }

    /// Removes the file, unless it has its final name.
    func remove() {
        OutputFile.remove(path)
        OutputFile.remove(fallbackPath)
    }
}
