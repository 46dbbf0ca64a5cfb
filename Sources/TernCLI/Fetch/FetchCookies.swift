// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the call that it is passed to.
import FoundationEssentials
import Glibc
import TernEngine
import TernFiles

/// The cookies of one run of the command: read from the files of `-b` before the first request, and written to the jar
/// of `-c` after the last.
struct FetchCookies {
    /// In bytes, also of a pipe.
    private static let maximumLength = 64 << 20

    /// What is sent and kept.
    let storage: HTTPCookieStorage
    private let jar: OutputTarget?
    /// Whether the jar is a file of `-b`, too: it keeps what others write to it meanwhile.
    private let isShared: Bool

    /// Nil if no cookies are kept.
    init?(_ options: FetchOptions, for targets: [RequestedURL]) throws {
        let cookies = options.cookies
        guard cookies.keepsCookies else { return nil }
        // What cannot be written later is reported before anything is sent.
        do throws(OutputError) {
            jar = try cookies.jar.map { path throws(OutputError) in try OutputTarget(path: path) }
        } catch {
            throw CommandFailure(.unwritable, "-c: \(error)")
        }
        let jarFile = jar.flatMap(Self.file)
        let isJar = { (path: String) in jarFile != nil && (try? OutputTarget(path: path)).flatMap(Self.file) == jarFile
        }
        isShared = cookies.files.contains(where: isJar)
        if let jarFile, isShared {
            storage = try Self.storage(of: jarFile, keepsSessionCookies: !cookies.dropsSessionCookies)
            Self.tell(storage.skippedLineCount, first: storage.firstSkippedLine, of: jarFile, options.output)
        } else {
            storage = HTTPCookieStorage()
        }
        for path in cookies.files where !path.isEmpty && !isJar(path) {
            let content = CookieText(try Self.read(path), now: Date())
            Self.tell(content.skippedLineCount, first: content.firstSkippedLine, of: path, options.output)
            // curl sends a Set-Cookie without a domain to every host. It is for those that the user names, no
            // redirect's.
            storage.add(
                content, keepsSessionCookies: !cookies.dropsSessionCookies,
                fieldsFrom: Set(targets.compactMap(\.url.host)).sorted())
        }
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
        let input = InputDescriptor()
        var bytes: [UInt8] = []
        do {
            while let piece = try input.piece(of: path, 1 << 16) {
                bytes += piece
                if bytes.count > maximumLength {
                    throw CommandFailure(.unreadable, "-b: \(path) is longer than 64 MB")
                }
            }
        } catch let error as InputError {
            if error.number == ENOENT { return [] }
            throw CommandFailure(.unreadable, "-b: \(error)")
        }
        return bytes
    }

    private static func tell(_ skipped: Int, first line: Int, of path: String, _ output: OutputOptions) {
        if skipped == 0 || output.isSilent { return }
        let name = path == "-" ? "standard input" : path
        let subject = skipped == 1 ? "a line" : "\(skipped) lines"
        let place = line == 0 ? "" : skipped == 1 ? " (line \(line))" : " (the first is line \(line))"
        StandardStreams.tell("tern: -b: \(subject) of \(name) skipped: no cookie in the Netscape format\(place)")
    }

    /// Writes the jar, also if there are no cookies.
    func save() throws {
        guard let jar else { return }
        do {
            if isShared { return try storage.saveAlways() }
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
