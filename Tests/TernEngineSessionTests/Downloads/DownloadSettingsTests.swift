// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import Testing

@testable import TernEngine

@Suite struct HexadecimalDigestTests {
    @Test func `a digest is taken as sha256sum prints it, in either case`() throws {
        let bytes = (0..<32).map { UInt8($0 * 8 + 1) }
        let text = bytes.map(hexadecimal).joined()
        for text in [text, text.uppercased()] {
            #expect(
                try DownloadSettings.Verification.digest(.sha256, hexadecimal: text) == .digest(.sha256, Data(bytes)))
        }
    }

    @Test(arguments: [
        "", "0", "sha256:00", String(repeating: "g", count: 64), String(repeating: "0", count: 63) + "\u{ff10}",
    ])
    func `another text is an error that names the algorithm, and never no check`(text: String) {
        let error = #expect(throws: InvalidDigest.self) {
            try DownloadSettings.Verification.digest(.sha256, hexadecimal: text)
        }
        #expect(error.map { "\($0)".contains("sha-256: 64 hexadecimal digits") } == true)
        #expect(throws: InvalidDigest.self) {
            try DownloadSettings.Verification.digest(.sha512, hexadecimal: String(repeating: "0", count: 64))
        }
    }
}
