// SPDX-License-Identifier: Apache-2.0

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
