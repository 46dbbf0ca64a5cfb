// SPDX-License-Identifier: Apache-2.0

/// A coding in which the content of a request is sent (RFC 9110 §8.4), and how much time it takes to make it small.
///
/// Content is encoded on the thread of the connection, at most 64 KB at a time: with the levels of the constants that
/// takes two milliseconds, and with the highest ones of brotli and zstd up to a hundred.
public struct ContentCompression: Sendable, Hashable {
    package let coding: ContentCoding
    package let level: Int

    /// gzip at the level of most servers and programs, 6.
    public static let gzip = gzip(level: 6)

    /// gzip.
    ///
    /// - Parameter level: 1, the fastest, to 9, the smallest; others count as the nearest of them.
    public static func gzip(level: Int) -> ContentCompression {
        ContentCompression(coding: .gzip, level: min(max(1, level), 9))
    }

    #if Brotli
        /// br at a quality for content that is encoded while it is sent, 5. Only with the package trait `Brotli`.
        public static let brotli = brotli(quality: 5)

        /// br. Only with the package trait `Brotli`.
        ///
        /// - Parameter quality: 0, the fastest, to 11, the smallest; others count as the nearest of them.
        public static func brotli(quality: Int) -> ContentCompression {
            ContentCompression(coding: .brotli, level: min(max(0, quality), 11))
        }
    #endif

    #if Zstd
        /// zstd at its library's own level, 3. Only with the package trait `Zstd`.
        public static let zstd = zstd(level: 3)

        /// zstd. Only with the package trait `Zstd`.
        ///
        /// - Parameter level: -7, the fastest, to 19, the smallest that needs no larger window than every server has (RFC
        ///   9659 §3); others count as the nearest of them.
        public static func zstd(level: Int) -> ContentCompression {
            ContentCompression(coding: .zstd, level: min(max(-7, level), 19))
        }
    #endif
}
