// SPDX-License-Identifier: Apache-2.0
// Safety: the path is passed to one system call, which copies it.
import Foundation
import Glibc
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernCLI
@testable import TernEngine

@Suite struct InputFileTests {
    @Test func `a file is read as it is, and one that is missing is a failure that names the option`() throws {
        let folder = try TemporaryFolder()
        let bytes = Data([0, 10, 13, 255])
        #expect(try InputFile.read(folder.write(bytes, to: "file"), for: "-d") == bytes)
        let failure = try #require(throws: CommandFailure.self) { try InputFile.read("/nowhere/x", for: "-d") }
        #expect(failure.message == "-d: cannot read /nowhere/x: No such file or directory")
        #expect(failure.status == .unreadable)
        #expect(throws: CommandFailure.self) { try InputFile.read("/", for: "-d") }
    }

    @Test(.proves("14.10a"))
    func `a byte order mark in front of a text is skipped by each of its readers, and a second one by none`()
        throws
    {
        func marked(_ text: String, _ count: Int = 1) -> [UInt8] {
            Array((String(repeating: "\u{feff}", count: count) + text).utf8)
        }
        let authority = try CertificateAuthority()
        let leaf = try authority.issue()
        for count in 1...2 {
            let isRead = count == 1
            let line = try ConfigurationLine.all(in: marked("# comment\n", count), of: "f")
            #expect(line.isEmpty == isRead)
            #expect(HeaderOption.all(in: Data(marked("A: b", count))).first?.name == (isRead ? "A" : "\u{feff}A"))
            let netrc = Netrc(marked("machine h login a password b", count))
            #expect((netrc.credential(forHost: "h") != nil) == isRead)
            #expect(HSTSStorage(text: marked("# comment", count)).skippedLineCount == (isRead ? 0 : 1))
            #expect(CookieText(marked("# comment", count), now: .now).skippedLineCount == (isRead ? 0 : 1))
            let policy = #"{"pinSets": [{"hosts": ["h.test"], "pins": ["\#(leaf.pin)"]}]}"#
            #expect(((try? PolicyFile(json: marked(policy, count))) != nil) == isRead)
            #expect(((try? X509Certificate.all(inPEM: marked(leaf.certificatePEM, count))) != nil) == isRead)
            let key = marked(leaf.privateKeyPEM, count)
            #expect(((try? X509Certificate.PublicKey(keyFile: key)) != nil) == isRead)
        }
    }

    @Test(
        "a file without end, or longer than its limit, is refused for every option that reads one",
        arguments: [
            ("-K FILE", 26), ("-H @FILE", 26), ("--netrc-file FILE", 26), ("-n --netrc-file FILE", 26),
            ("--cert FILE", 58), ("--cert NONE --key FILE", 58), ("--cacert FILE", 77), ("--crlfile FILE", 82),
            ("--pinnedpubkey FILE", 90), ("--etag-compare FILE", 26), ("-w @FILE", 26), ("-b FILE", 26),
        ])
    func limited(arguments: String, status: Int32) async throws {
        let folder = try TemporaryFolder()
        let authority = try CertificateAuthority()
        let certificate = try folder.write(try authority.issue().chainPEM, to: "cert.pem")
        let sparse = try folder.write("", to: "sparse")
        let truncated = unsafe truncate(sparse, 1 << 40)
        #expect(truncated == 0)
        for file in ["/dev/zero", sparse] {
            let line = arguments.replacing("FILE", with: file).replacing("NONE", with: certificate)
            let result = try await TernTool.run(line.split(separator: " ").map(String.init) + ["https://127.0.0.1:1/"])
            #expect(result.status == status, "\(file): \(result.errors)")
            #expect(!result.errors.contains("cannot connect"))
        }
    }

    @Test func `standard input has one reader`() throws {
        try InputFile.checkStandardInput(["-", "a", "a"])
        #expect(throws: (any Error).self) { try InputFile.checkStandardInput(["-", "a", "-"]) }
    }
}

@Suite struct InputDescriptorTests {
    @Test func `a file is read in chunks to its end`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("abcde", to: "file")
        let input = InputDescriptor()
        var chunks: [String] = []
        while let chunk = try input.piece(of: path, 2) { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == ["ab", "cd", "e"])
        #expect(try input.piece(of: path, 2) == nil)
    }

    @Test(arguments: [("/nowhere/x", ENOENT), ("/", EISDIR)])
    func `what cannot be read is named with the system's reason`(path: String, number: Int32) throws {
        let error = try #require(throws: InputError.self) { try InputDescriptor().piece(of: path, 10) }
        guard case .system(number) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.hasPrefix("cannot read \(path): "))
    }
}

@Suite struct UploadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the length of a file is known, that of standard input and of a device is not`() throws {
        let path = try folder.write("12345", to: "file")
        #expect(try Upload(path: path, option: "-T").length == 5)
        #expect(try Upload(path: path, option: "-T", isChunked: true).length == nil)
        #expect(try Upload(path: "/dev/null", option: "-T").length == nil)
        #expect(try Upload(path: "-", option: "-T").length == nil)
    }

    @Test(arguments: [
        ("/nowhere/x", "-T: cannot read /nowhere/x: No such file or directory"), ("/etc", "-T: /etc is a folder"),
    ])
    func `what cannot be sent is named with its option`(path: String, message: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try Upload(path: path, option: "-T") }
        #expect(failure.message == message)
        #expect(failure.status == .unreadable)
    }
}
