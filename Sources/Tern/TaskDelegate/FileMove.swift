// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// Moves a file. Errors are Foundation's.
package struct FileMove {
    private let source: URL
    private let target: URL
    private let files = FileManager.default

    package init(from source: URL, to target: URL) {
        self.source = source
        self.target = target
    }

    /// Replaces a file at the target only when the new one is complete; a failure leaves both files as they were.
    ///
    /// The file has been its owner's alone. It gets the permissions of the file it replaces, or those of a new file.
    package func perform(_ options: DownloadOptions) throws {
        if source.standardizedFileURL == target.standardizedFileURL { return }
        if let permissions = permissionsOfTarget ?? Self.permissionsOfNewFiles {
            // Best effort: some file systems have none.
            try? files.setAttributes([.posixPermissions: permissions], ofItemAtPath: source.path)
        }
        if options.contains(.createIntermediateDirectories) {
            try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        guard options.contains(.removePreviousFile), replacesFile else {
            return try files.moveItem(at: source, to: target)
        }
        if rename(source) == nil { return }
        // It is on another disk, or may not be replaced: moving it beside the target shows which.
        let sibling = target.deletingLastPathComponent().appendingPathComponent(".tern-\(UUID())")
        try files.copyItem(at: source, to: sibling)
        if let error = rename(sibling) {
            try? files.removeItem(at: sibling)
            throw CocoaError(
                .fileWriteUnknown, userInfo: [NSFilePathErrorKey: target.path, NSUnderlyingErrorKey: error])
        }
        try? files.removeItem(at: source)
    }

    private var permissionsOfTarget: NSNumber? {
        replacesFile ? (try? files.attributesOfItem(atPath: target.path))?[.posixPermissions] as? NSNumber : nil
    }

    /// 666 less those of umask(2), which would have to be changed to be asked; nil where Linux does not say them otherwise.
    private static var permissionsOfNewFiles: NSNumber? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Umask:") }),
            let mask = UInt16(line.dropFirst(6).drop { $0 == "\t" || $0 == " " }, radix: 8)
        else { return nil }
        return NSNumber(value: 0o666 & ~mask)
    }

    /// A folder is never replaced.
    private var replacesFile: Bool {
        guard target.isFileURL, let type = try? files.attributesOfItem(atPath: target.path)[.type] else { return false }
        return type as? FileAttributeType != .typeDirectory
    }

    /// In one step, within one file system.
    private func rename(_ file: URL) -> POSIXError? {
        // The strings are valid for the call.
        if unsafe Foundation.rename(file.path, target.path) == 0 { return nil }
        return POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}

/// How to make room for a downloaded file before it is moved.
public struct DownloadOptions: OptionSet, Sendable {
    /// Creates missing folders of the destination's path.
    public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
    /// Replaces an existing file, in one step. A folder is never replaced.
    public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)

    /// The bits.
    public let rawValue: UInt

    /// Creates options from these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
