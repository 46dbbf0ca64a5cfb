// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct UnixSocketNameTests {
    @Test(arguments: [("/run/web.sock", "/run/web.sock"), ("web.sock", "web.sock"), ("@web", "./@web")])
    func `a path is described as itself, and never like an abstract name`(path: String, description: String) throws {
        let name = try UnixSocketName(path: path)
        #expect(name.path == path)
        #expect(!name.isAbstract)
        #expect(name.description == description)
    }

    @Test(arguments: [("web", "@web"), ("a\0b", "@a@b"), ("/run/web.sock", "@/run/web.sock")])
    func `an abstract name is described after an at sign`(text: String, description: String) throws {
        let name = try UnixSocketName(abstract: text)
        #expect(name.path == nil)
        #expect(name.isAbstract)
        #expect(name.description == description)
    }

    @Test func `a path and an abstract name of the same bytes are two names`() throws {
        #expect(try UnixSocketName(path: "web") != UnixSocketName(abstract: "web"))
    }

    @Test func `two encodings of one character are two names`() throws {
        #expect(try UnixSocketName(path: "\u{E9}") != UnixSocketName(path: "e\u{301}"))
    }

    @Test func `a name is not empty`() {
        #expect(throws: InvalidUnixSocketName.empty) { try UnixSocketName(path: "") }
        #expect(throws: InvalidUnixSocketName.empty) { try UnixSocketName(abstract: "") }
    }

    @Test func `a path has no NUL in it`() {
        #expect(throws: InvalidUnixSocketName.nulInPath) { try UnixSocketName(path: "/run/web.sock\0.txt") }
        #expect(throws: InvalidUnixSocketName.nulInPath) { try UnixSocketName(path: "\0web") }
    }

    @Test func `a path has at most 108 bytes, an abstract name 107`() throws {
        let text = String(repeating: "x", count: 107)
        #expect(try UnixSocketName(abstract: text).bytes.count == 107)
        #expect(try UnixSocketName(path: text + "x").bytes.count == 108)
        #expect(throws: InvalidUnixSocketName.tooLong(bytes: 108, limit: 107)) {
            try UnixSocketName(abstract: text + "x")
        }
        #expect(throws: InvalidUnixSocketName.tooLong(bytes: 109, limit: 108)) {
            try UnixSocketName(path: text + "é")
        }
    }

    @Test(arguments: ["/run/web.sock", "x"])
    func `it survives the trip through the kernel's form`(text: String) throws {
        let (path, abstract) = (try UnixSocketName(path: text), try UnixSocketName(abstract: text))
        #expect(UnixSocketName(kernelForm: path.kernelForm) == path)
        #expect(UnixSocketName(kernelForm: abstract.kernelForm) == abstract)
    }

    @Test func `a socket that was never bound has no name`() {
        #expect(UnixSocketName(kernelForm: []) == nil)
        #expect(UnixSocketName(kernelForm: [0]) == nil)
    }

    @Test func `more bytes than the kernel has room for are no name`() {
        #expect(UnixSocketName(kernelForm: [UInt8](repeating: 1, count: 126)) == nil)
        #expect(UnixSocketName(kernelForm: [0] + [UInt8](repeating: 1, count: 125)) == nil)
    }
}

@Suite struct InvalidUnixSocketNameTests {
    @Test func `the description names the rule`() {
        #expect(InvalidUnixSocketName.empty.description == "the name is empty")
        #expect(InvalidUnixSocketName.nulInPath.description == "the path contains a NUL")
        #expect(
            InvalidUnixSocketName.tooLong(bytes: 120, limit: 108).description
                == "the name has 120 bytes, the maximum is 108")
    }
}
