// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// How a download becomes a file.
public struct DownloadSettings: Sendable {
    /// What becomes of a file that stands at the target already.
    public enum ExistingFile: Sendable, Hashable {
        /// It is replaced, in one step, by a download that is complete. Until then, and if the download fails, it stays
        /// as it is.
        case replace
        /// The download fails, and the file stays as it is.
        case refuse
    }

    /// What the content is held against before the file takes its place.
    public enum Verification: Sendable, Hashable {
        /// A digest that the caller knows.
        case digest(DigestAlgorithm, Data)
        /// The digest that the response names in its `Repr-Digest` field (RFC 9530); one has to be there.
        case reprDigest
    }

    /// What becomes of a file that stands at the target already; it is replaced by default.
    public var existingFile = ExistingFile.replace
    /// Whether the folders are made in which the target is to stand. Not by default.
    public var createsFolders = false
    /// Whether what has come is kept if the download breaks off, even by the end of the process, and is where the next
    /// download of the same URL to the same target goes on. Not by default.
    ///
    /// It is kept beside the target, which is `name`, as `.name.tern-part`, with a note of where it comes from,
    /// `.name.tern-part.json`. Only what can be continued is kept: the response needs a strong validator (RFC 9110
    /// §8.8).
    public var isResumable = false
    /// Whether a resumable download begins anew, and lets go of what an earlier one has kept. Not by default.
    public var startsOver = false
    /// Whether the body of a response that is no success becomes the file, too. Not by default: it is an error.
    public var acceptsAnyStatus = false
    /// How long the file may become, in bytes, whether its length is announced or not: more is an error, and nothing of
    /// it is kept. Nil, the default, for any length.
    public var maximumLength: Int64?
    /// What the content is held against before the file takes its place; nothing by default.
    public var verification: Verification?

    /// What the comments of the members say.
    public init() {}

    /// Keeps what has come, and goes on there.
    public static var resumable: DownloadSettings {
        var settings = DownloadSettings()
        settings.isResumable = true
        return settings
    }
}
