// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine

extension HTTPCookieStorage {
    /// The storage of the process, of `URLSession.shared` and of sessions with `URLSessionConfiguration.default`. It outlives
    /// the program, as in Foundation on Linux: its cookies, but not those without an end, are kept in `cookies.txt` in the
    /// folder `$XDG_DATA_HOME/NAME` or `~/.local/share/NAME`, where `NAME` is that of the executable. Processes of that name
    /// share the file, which only its owner may use.
    ///
    /// What changes is written within a second, in the background, and when the program ends with `exit` or by returning
    /// from its main function; ``TernEngine/HTTPCookieStorage/save()`` writes it at once. The end of a program waits for
    /// another process that has the file locked, for five seconds at most for each attempt.
    ///
    /// The storage is in memory, and ``TernEngine/HTTPCookieStorage/saveError`` says why, where the folder cannot be created
    /// or the file cannot be read, is longer than 64 MB, belongs to another user or may be used by one. Lines that are no
    /// cookies are skipped, and stay in the file.
    ///
    /// The object is also the `shared` of a file that imports `TernEngine` or `Tern` alone. It is in memory until this name,
    /// `URLSession.shared` or `URLSessionConfiguration.default` is used first, which blocks while the file is read.
    /// Cookies that were set before stay, in place of equal ones of the file.
    public static var shared: HTTPCookieStorage { kept }

    private static let kept = {
        let variables = ProcessInfo.processInfo.environment
        let home = FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
        // A relative path is ignored, as the XDG Base Directory Specification says.
        let data = variables["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        let storage = HTTPCookieStorage.ofProcess
        storage.attach(ownersFile: "\(data)/\(ProcessInfo.processInfo.processName)/cookies.txt")
        // `saveError` keeps an error that nobody reads then.
        atexit { try? HTTPCookieStorage.ofProcess.save() }
        return storage
    }()
}
