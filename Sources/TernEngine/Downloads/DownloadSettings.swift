// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1

/// How a download becomes a file.
public struct DownloadSettings: Sendable {
    /// What happens to an existing file at the target.
    public enum ExistingFile: Sendable, Hashable {
        /// A complete download replaces it in one step. Until then, and if the download fails, it is unchanged.
        case replace
        /// The download fails, and the file is unchanged.
        case refuse
    }

    /// What the content is verified against before it becomes the file.
    public enum Verification: Sendable, Hashable {
        /// A digest that the caller knows.
        case digest(DigestAlgorithm, Data)
        /// The digest in the response's `Repr-Digest` field (RFC 9530), which is then required.
        case reprDigest
    }

    /// What happens to an existing file at the target; by default it is replaced.
    public var existingFile = ExistingFile.replace
    /// Whether missing folders of the target are created. Not by default.
    public var createsFolders = false
    /// Whether the partial file is kept if the download fails, even if the process ends, so that the next download of
    /// the same URL to the same target resumes it. Not by default.
    ///
    /// For a target called `name`, the partial file is `.name.tern-part` beside it, with its resume data in
    /// `.name.tern-part.json`. It is kept only if it can be resumed: the response needs a strong validator (RFC 9110
    /// §8.8).
    public var isResumable = false
    /// Whether a resumable download discards an earlier partial file and starts again. Not by default.
    public var startsOver = false
    /// Whether the body of a response other than a success (2xx) also becomes the file. By default it is an error.
    public var acceptsAnyStatus = false
    /// The maximum length of the file in bytes, whether its length is announced or not: a longer one is an error, and
    /// its content is discarded. Nil, the default, for any length.
    public var maximumLength: Int64?
    /// What the content is verified against before it becomes the file; nothing by default.
    public var verification: Verification?
    /// The parts that are received at once; nil, the default, for one. For a file without the support of its server, and
    /// for a short one, there is one in any case.
    ///
    /// What is kept of an interrupted download is what it has without a hole from the beginning.
    public var parts: DownloadParts?

    /// Creates the default settings.
    public init() {}

    /// Keeps the partial file, and resumes it.
    public static var resumable: DownloadSettings {
        var settings = DownloadSettings()
        settings.isResumable = true
        return settings
    }
}

extension DownloadSettings.Verification {
    /// A digest as sha256sum(1) prints it, in hexadecimal digits of either case.
    ///
    /// - Throws: ``InvalidDigest`` for another text, or another number of digits.
    public static func digest(_ algorithm: DigestAlgorithm, hexadecimal text: String) throws(InvalidDigest) -> Self {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue ?? 16 }
        guard digits.count == 2 * algorithm.length, digits.allSatisfy({ $0 < 16 }) else {
            throw InvalidDigest(algorithm: algorithm, text: text)
        }
        return .digest(
            algorithm, Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }))
    }
}

/// A text that is no digest in hexadecimal digits.
public struct InvalidDigest: Error, Hashable, CustomStringConvertible {
    /// The algorithm whose digest it should be.
    public let algorithm: DigestAlgorithm
    /// The text.
    public let text: String

    /// One line for a log.
    public var description: String {
        "\"\(text.excerpt)\" is no digest of \(algorithm.rawValue): \(2 * algorithm.length) hexadecimal digits"
    }
}
