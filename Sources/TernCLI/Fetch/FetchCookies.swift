// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the call that it is passed to.
import FoundationEssentials
import TernLibC
import TernEngine
import TernFiles

/// The cookies of one run of the command: read from the files of `-b` before the first request, and written to the jar
/// of `-c` after the last.
struct FetchCookies {
    /// What is sent and kept by all groups that keep cookies.
    let storage: HTTPCookieStorage
    private let jars: [OutputTarget]
    /// The jar that is a file of `-b`, too: it keeps what others write to it meanwhile.
    private let sharedFile: String?

    /// Nil if no group keeps cookies.
    init?(_ groups: [FetchOptions], isSilent: Bool) throws {
        guard groups.contains(where: \.cookies.keepsCookies) else { return nil }
        // What cannot be written later is reported before anything is sent.
        do throws(OutputError) {
            var jars: [OutputTarget] = []
            for path in Set(groups.compactMap(\.cookies.jar)).sorted() { jars.append(try OutputTarget(path: path)) }
            self.jars = jars
        } catch {
            throw CommandFailure(.unwritable, "-c: \(error)")
        }
        let jarFiles = Set(jars.compactMap(Self.file))
        let jarFile = { (path: String) -> String? in
            (try? OutputTarget(path: path)).flatMap(Self.file).flatMap { jarFiles.contains($0) ? $0 : nil }
        }
        let shared = groups.lazy.flatMap { group in group.cookies.files.map { (group.cookies, $0) } }
            .compactMap { options, path in jarFile(path).map { (options, $0) } }.first
        sharedFile = shared?.1
        if let (options, file) = shared {
            storage = try Self.storage(of: file, keepsSessionCookies: !options.dropsSessionCookies)
            Self.tell(storage.skippedLineCount, first: storage.firstSkippedLine, of: file, isSilent: isSilent)
        } else {
            storage = HTTPCookieStorage()
        }
        for group in groups {
            for path in group.cookies.files where !path.isEmpty && (sharedFile == nil || jarFile(path) != sharedFile) {
                try add(path, for: group, isSilent: isSilent)
            }
        }
    }

    private func add(_ path: String, for group: FetchOptions, isSilent: Bool) throws {
        let content = CookieText(try Self.read(path), now: Date())
        Self.tell(content.skippedLineCount, first: content.firstSkippedLine, of: path, isSilent: isSilent)
        // curl sends a Set-Cookie without a domain to every host. It is for those that the user names, no redirect's.
        let hosts =
            content.needsHosts
            ? Set(group.targets.lazy.compactMap { (try? $0.get())?.url.url.host }).sorted() : []
        storage.add(content, keepsSessionCookies: !group.cookies.dropsSessionCookies, fieldsFrom: hosts)
    }

    /// The regular file that would be written, whatever its path; nil for a target that is written directly.
    private static func file(_ target: OutputTarget) -> String? {
        if case .file(let path) = target { FilePath.followingLinks(from: path) } else { nil }
    }

    private static func storage(of path: String, keepsSessionCookies: Bool) throws -> HTTPCookieStorage {
        do throws(CookieFileError) {
            let storage = try HTTPCookieStorage(file: URL(filePath: path), keepsSessionCookies: true)
            if !keepsSessionCookies {
                for cookie in storage.cookies ?? [] where cookie.isSessionOnly { storage.deleteCookie(cookie) }
            }
            return storage
        } catch {
            throw CommandFailure(.unreadable, "-b: \(error)")
        }
    }

    /// The content of a file, a pipe or a device; that of an empty one if nothing exists there, as in curl.
    private static func read(_ path: String) throws -> [UInt8] {
        do throws(InputError) {
            return [UInt8](try InputFile.contents(of: path))
        } catch {
            if error.isMissingFile { return [] }
            throw CommandFailure(.unreadable, "-b: \(error)")
        }
    }

    private static func tell(_ skipped: Int, first line: Int, of path: String, isSilent: Bool) {
        if skipped == 0 || isSilent { return }
        let name = path == "-" ? "standard input" : path
        let subject = skipped == 1 ? "a line" : "\(skipped) lines"
        let place = line == 0 ? "" : skipped == 1 ? " (line \(line))" : " (the first is line \(line))"
        StandardStreams.tell("tern: -b: \(subject) of \(name) skipped: no cookie in the Netscape format\(place)")
    }

    /// Writes the jars, also if there are no cookies.
    func save() throws {
        for jar in jars { try save(to: jar) }
    }

    private func save(to jar: OutputTarget) throws {
        do {
            if let sharedFile, Self.file(jar) == sharedFile { return try storage.saveAlways() }
            let bytes = storage.netscapeBytes
            switch jar {
            case .standardOutput: try Self.write(bytes, to: STDOUT_FILENO)
            case .descriptor(let number): try Self.write(bytes, to: number)
            case .device(let path):
                let number = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                guard number >= 0 else { throw OutputError.last(path) }
                defer { close(number) }
                try Self.write(bytes, to: number)
            case .file(let path): try Self.replace(path, by: bytes)
            }
        } catch let error as StandardStreams.WriteError where error.isBrokenPipe {
            throw error
        } catch {
            throw CommandFailure(.unwritable, "-c: \(error)")
        }
    }

    private static func replace(_ path: String, by bytes: [UInt8]) throws {
        let temporary = TemporaryFile(beside: path)
        defer { withExtendedLifetime(temporary) {} }
        do {
            let file = try FileReplacement(
                of: path, path: temporary.path, fallbackPath: temporary.fallbackPath, newPermissions: 0o600)
            try unsafe bytes.withUnsafeBytes { try unsafe file.write($0) }
            try file.commit()
        } catch let error as SystemCallError {
            throw OutputError(path, .system(error.code))
        }
    }

    /// A terminal gets no characters that control it, but the tabs.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(StandardStreams.WriteError) {
        guard isatty(descriptor) == 1 else { return try StandardStreams.write(Data(bytes), to: descriptor) }
        let words = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split(separator: "\t", omittingEmptySubsequences: false).map { TerminalText.cleaned(String($0)) }
        try StandardStreams.write(Data(words.joined(separator: "\t").utf8), to: descriptor)
    }
}
