// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernSystem
import TernTLS

/// The version of this package. `scripts/check-house-rules` compares it with the newest version of CHANGELOG.md.
enum Version {
    static let current = "0.2.0"
    /// When the manual was written.
    static let date = "2026-11-26"

    /// With the libraries that are loaded, or would be.
    static var text: String {
        let suffixes = PublicSuffixList.system.map { "libpsl \($0.version)" } ?? "no libpsl"
        let names = InternationalizedNames.system.map { "libidn2 \($0.version)" } ?? "no libidn2"
        let libraries = [OpenSSLLibrary.version, suffixes, names] + CodingLibraries.versions
        return "tern \(current)\n" + libraries.joined(separator: ", ")
    }
}
