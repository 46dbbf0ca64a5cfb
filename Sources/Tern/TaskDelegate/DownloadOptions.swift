// SPDX-License-Identifier: Apache-2.0

/// What may be done to make room for a downloaded file before it is moved.
public struct DownloadOptions: OptionSet, Sendable {
    /// Creates missing folders of the destination's path.
    public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
    /// A file that is there already is replaced: by the whole of the new one, or not at all. A folder never is.
    public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)

    /// The bits.
    public let rawValue: UInt

    /// The options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
