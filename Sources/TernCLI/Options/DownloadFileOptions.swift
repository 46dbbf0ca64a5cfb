// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine

/// The file of a download, with curl's option names.
struct DownloadFileOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-o", "--output", as: "file",
                help: """
                    The file, which is replaced when the download is complete. Without it the file is named as the server \
                    proposes, or by the URL's last segment, in the current folder; then nothing is replaced. Devices and FIFOs \
                    are written directly; "-" is standard output.
                    """
            ) { $0.output = $1.text },
            .toggle(
                "-O", "--remote-name", help: "Name the file by the URL's last segment, whatever the server proposes."
            ) { $0.usesURL = $1 },
            .toggle(
                "-J", "--remote-header-name",
                help: "Name the file as the server proposes (Content-Disposition); -OJ is the same as neither option."
            ) { $0.usesProposal = $1 },
            .toggle("--clobber", help: "Replace an existing file without -o, too.") { $0.replaces = $1 },
            .value(
                "-C", "--continue-at", as: "-",
                help: """
                    "-" resumes an earlier download of this URL that was interrupted or killed, if the file on the server has \
                    not changed; otherwise it starts again. A complete file is left unchanged. No other offset can be given.
                    """
            ) { $0.continueAt = $1.text },
            .value("--sha256", as: "hex", help: "Keep the file only if its SHA-256 is this.") { $0.sha256 = $1.text },
            .toggle(
                "--repr-digest",
                help: "Keep the file only if it matches the response's Repr-Digest (RFC 9530), which is then required."
            ) { $0.usesReprDigest = $1 },
            .value("--parts", as: "n", help: "Receive the file in up to n parts of at least 8 MB at once.") {
                $0.parts = try $1.integer()
            },
            .toggle("--create-dirs", help: "Create the folders of -o.") { $0.createsFolders = $1 })
    }

    var output: String?
    var usesURL = false
    var usesProposal = false
    var replaces = false
    var continueAt: String?
    var sha256: String?
    var usesReprDigest = false
    var parts = 1
    var createsFolders = false

    func validate() throws {
        if output != nil, usesURL || usesProposal || replaces {
            throw UsageError("-o names the file and replaces it: omit -O, -J and --clobber")
        }
        if output?.isEmpty == true { throw UsageError("-o: the path is empty") }
        if let continueAt, continueAt != "-" {
            throw UsageError("-C \(continueAt): only \"-C -\" is supported, which finds the offset itself")
        }
        if sha256 != nil, usesReprDigest { throw UsageError("give --sha256 or --repr-digest, not both") }
        if sha256 != nil, digest == nil { throw UsageError("--sha256: give 64 hexadecimal digits") }
        if parts < 1 { throw UsageError("--parts \(parts): give 1 or more") }
        if createsFolders, output == nil { throw UsageError("--create-dirs needs -o") }
    }

    var continues: Bool { continueAt != nil }

    /// What contradicts the other options.
    ///
    /// - Parameter range: that of `-r`.
    func check(_ range: String?) throws {
        guard let range else { return }
        if continues { throw UsageError("-r and -C - request two parts: give one of them") }
        if !Self.isRange(range) { throw UsageError("-r \(range): give one range, such as 0-499, 500- or -500") }
        if usesReprDigest {
            throw UsageError("--repr-digest verifies the whole, and -r requests a part: give one of them")
        }
    }

    /// - Parameters:
    ///   - isPart: whether a part is requested.
    ///   - limit: the maximum length of the file; nil for none.
    func settings(isPart: Bool, limit: Int?) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.maximumLength = limit.map(Int64.init)
        settings.existingFile = output != nil || replaces ? .replace : .refuse
        settings.createsFolders = createsFolders
        settings.isResumable = !isPart
        settings.startsOver = !continues
        settings.verification = usesReprDigest ? .reprDigest : digest
        if parts > 1 { settings.parts = DownloadParts(maximum: parts) }
        return settings
    }

    /// The file, if it is known before the response.
    func target(of url: RequestedURL) throws -> URL? {
        if let output { return URL(target: output) }
        if usesURL, !usesProposal {
            guard !url.lastSegment.isEmpty, let name = Self.name(of: url) else {
                throw UsageError("-O: the URL \(url.text.prefix(200)) does not end in a file name: give -o")
            }
            return URL(target: name)
        }
        return continues ? ResumeData.target(leftHereFrom: url.url) : nil
    }

    private static func name(of url: RequestedURL) -> String? {
        HTTPURLResponse(url: url.url, statusCode: 200, httpVersion: nil, headerFields: nil)?.suggestedFilename
    }

    /// The path of a target that cannot be replaced, and cannot be restored either: a device, a FIFO, standard output. Nil
    /// for a file.
    func writtenThrough(_ transfer: TransferOptions) throws -> String? {
        guard let path = output else { return nil }
        do throws(OutputError) {
            if case .file = try OutputTarget(path: path) { return nil }
        } catch {
            // Folders that are to be created are missing now.
            if case .system(ENOENT) = error.reason { return nil }
            throw CommandFailure(.unwritable, "-o: \(error)")
        }
        let others = [
            ("-C -", continues), ("--sha256", sha256 != nil), ("--repr-digest", usesReprDigest),
            ("--retry", transfer.retries > 0), ("--parts", parts > 1),
        ]
        if let other = others.first(where: \.1) {
            throw UsageError("\(other.0) needs a file, and \(path) is written directly, which cannot be undone")
        }
        return path
    }

    private static func isRange(_ text: String) -> Bool {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return false
        }
        guard let last = Int64(ends[1]) else { return ends[1].isEmpty && Int64(ends[0]) != nil }
        return ends[0].isEmpty ? last > 0 : Int64(ends[0]).map { $0 <= last } ?? false
    }

    private var digest: DownloadSettings.Verification? {
        sha256.flatMap { try? .digest(.sha256, hexadecimal: $0) }
    }
}
