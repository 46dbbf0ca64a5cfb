// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc
import TernEngine

/// The file of a download, with curl's option names.
struct DownloadFileOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        help: ArgumentHelp(
            """
            The file, which is replaced when the download is complete. Without it the file is named as the server \
            proposes, or by the URL's last segment, in the current folder; then nothing is replaced. Devices and FIFOs \
            are written directly; "-" is standard output.
            """, valueName: "file"))
    var output: String?

    @Flag(
        name: [.customShort("O"), .customLong("remote-name")],
        help: "Name the file by the URL's last segment, whatever the server proposes.")
    var usesURL = false

    @Flag(
        name: [.customShort("J"), .customLong("remote-header-name")],
        help: "Name the file as the server proposes (Content-Disposition); -OJ is the same as neither option.")
    var usesProposal = false

    @Flag(name: .customLong("clobber"), help: "Replace an existing file without -o, too.")
    var replaces = false

    @Option(
        name: [.customShort("C"), .customLong("continue-at")], parsing: .unconditional,
        help: ArgumentHelp(
            """
            "-" resumes an earlier download of this URL that was interrupted or killed, if the file on the server has \
            not changed; otherwise it starts again. A complete file is left unchanged. No other offset can be given.
            """, valueName: "-"))
    var continueAt: String?

    @Option(
        name: [.customShort("r", allowingJoined: true), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp("Save only these bytes, such as 0-499 or -500 for the last ones.", valueName: "range"),
        transform: RangeOption.range)
    var range: String?

    @Option(
        name: .customLong("sha256"),
        help: ArgumentHelp("Keep the file only if its SHA-256 is this.", valueName: "hex"))
    var sha256: String?

    @Flag(
        name: .customLong("repr-digest"),
        help: "Keep the file only if it matches the response's Repr-Digest (RFC 9530), which is then required.")
    var usesReprDigest = false

    @Flag(name: .customLong("create-dirs"), help: "Create the folders of -o.")
    var createsFolders = false

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show neither progress nor errors.")
    var isSilent = false

    @Flag(name: [.customShort("S"), .customLong("show-error")], help: "Show errors even with -s.")
    var showsErrors = false

    func validate() throws {
        if output != nil, usesURL || usesProposal || replaces {
            throw ValidationError("-o names the file and replaces it: omit -O, -J and --clobber")
        }
        if output?.isEmpty == true { throw ValidationError("-o: the path is empty") }
        if let continueAt, continueAt != "-" {
            throw ValidationError("-C \(continueAt): only \"-C -\" is supported, which finds the offset itself")
        }
        if range != nil, continues { throw ValidationError("-r and -C - request two parts: give one of them") }
        if let range, !Self.isRange(range) {
            throw ValidationError("-r \(range): give one range, such as 0-499, 500- or -500")
        }
        if sha256 != nil, usesReprDigest { throw ValidationError("give --sha256 or --repr-digest, not both") }
        if let sha256, Self.digest(sha256) == nil { throw ValidationError("--sha256: give 64 hexadecimal digits") }
        if range != nil, usesReprDigest {
            throw ValidationError("--repr-digest verifies the whole, and -r requests a part: give one of them")
        }
        if createsFolders, output == nil { throw ValidationError("--create-dirs needs -o") }
    }

    var continues: Bool { continueAt != nil }

    /// Whether errors are shown.
    var tellsErrors: Bool { !isSilent || showsErrors }

    var settings: DownloadSettings {
        var settings = DownloadSettings()
        settings.existingFile = output != nil || replaces ? .replace : .refuse
        settings.createsFolders = createsFolders
        settings.isResumable = range == nil
        settings.startsOver = !continues
        if let digest = sha256.flatMap(Self.digest) { settings.verification = .digest(.sha256, digest) }
        if usesReprDigest { settings.verification = .reprDigest }
        return settings
    }

    /// The file, if it is known before the response.
    func target(of url: RequestedURL) throws -> URL? {
        if let output { return URL(target: output) }
        if usesURL, !usesProposal {
            guard !url.lastSegment.isEmpty, let name = Self.name(of: url) else {
                throw ValidationError("-O: the URL \(url.text.prefix(200)) does not end in a file name: give -o")
            }
            return URL(target: name)
        }
        return continues ? ResumeData.target(leftHereFrom: url.url) : nil
    }

    private static func name(of url: RequestedURL) -> String? {
        HTTPURLResponse(url: url.url, statusCode: 200, httpVersion: nil, headerFields: nil)?.suggestedFilename
    }

    static func isWrittenThrough(_ path: String) throws -> Bool {
        do throws(OutputError) {
            if case .file = try OutputTarget(path: path) { return false }
            return true
        } catch {
            // Folders that are to be created are missing now.
            if case .system(ENOENT) = error.reason { return false }
            throw CommandFailure(.unwritable, "-o: \(error)")
        }
    }

    func checkWrittenThrough(_ path: String, retries: Int) throws {
        let others = [
            ("-C -", continues), ("--sha256", sha256 != nil), ("--repr-digest", usesReprDigest),
            ("--retry", retries > 0),
        ]
        if let other = others.first(where: \.1) {
            throw ValidationError("\(other.0) needs a file, and \(path) is written directly, which cannot be undone")
        }
    }

    private static func isRange(_ text: String) -> Bool {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return false
        }
        guard let last = Int64(ends[1]) else { return ends[1].isEmpty && Int64(ends[0]) != nil }
        return ends[0].isEmpty ? last > 0 : Int64(ends[0]).map { $0 <= last } ?? false
    }

    private static func digest(_ hex: String) -> Data? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == 64, hex.utf8.count == 64 else { return nil }
        return Data(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
