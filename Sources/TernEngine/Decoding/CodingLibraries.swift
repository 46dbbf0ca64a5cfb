// SPDX-License-Identifier: Apache-2.0
#if Brotli
    import CTernBrotli
#endif
#if Zstd
    import CTernZstd
#endif

/// The libraries of codings that this build has besides zlib.
package enum CodingLibraries {
    /// Their names and versions, such as `brotli 1.0.9`.
    package static var versions: [String] {
        var versions: [String] = []
        #if Brotli
            // Twelve bits for each of the last two parts.
            let brotli = BrotliDecoderVersion()
            versions.append("brotli \(brotli >> 24).\(brotli >> 12 & 0xFFF).\(brotli & 0xFFF)")
        #endif
        #if Zstd
            versions.append("zstd \(unsafe String(cString: ZSTD_versionString()))")
        #endif
        return versions
    }
}
