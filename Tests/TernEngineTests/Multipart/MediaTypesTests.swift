// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

@testable import TernEngine

@Suite struct MediaTypesTests {
    @Test(
        .proves("9.12g"),
        arguments: [
            ("a.png", "image/png"), ("/b/a.tar.GZ", "application/gzip"), ("Makefile", "application/octet-stream"),
            (".png", "application/octet-stream"), ("a.", "application/octet-stream"), ("", "application/octet-stream"),
            ("folder.png/file", "application/octet-stream"), ("/", "application/octet-stream"),
            ("ü.JPEG", "image/jpeg"),
        ])
    func `the extension of a name determines its type`(name: String, type: String) {
        #expect(MediaTypes.type(ofFile: name) == type)
    }
}
