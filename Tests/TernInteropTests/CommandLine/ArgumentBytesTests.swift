// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to an array that outlives the one system call it is lent to.
import Foundation
import Glibc
import TernTesting
import TestPrograms
import Testing

/// Arguments are bytes. Those that are not UTF-8 arrive, and leave, as they were typed.
@Suite(.serialized) struct ArgumentBytesTests {
    private static let texts: [[UInt8]] = [[0xE9], Array(0x80...0xFF) + Array("\u{10F7E9}".utf8)]

    @Test(
        "what an option says is sent byte for byte",
        arguments: [
            (
                "-d n=BYTES --data-raw BYTES --data-ascii BYTES --data-binary BYTES URL/",
                ["\r\n\r\nn=BYTES&BYTES&BYTES&BYTES"]
            ),
            (
                "--data-urlencode n=BYTES --data-urlencode BYTES=a --data-urlencode =BYTES URL/",
                ["\r\n\r\nn=ESCAPED&BYTES=a&ESCAPED"]
            ),
            (
                "-F n=BYTES -F BYTES=x -F n=x;type=a/b;p=BYTES --form-string n=sBYTES URL/",
                ["\r\n\r\nBYTES\r\n", "name=\"BYTES\"\r\n", "Content-Type: a/b;p=BYTES\r\n", "\r\n\r\nsBYTES\r\n"]
            ),
            (
                "-F n=@BYTES -F n=@BYTES;filename=xBYTES -F t=<BYTES URL/",
                [
                    "filename=\"BYTES\"", "\"xBYTES\"", "name=\"t\"\r\n\r\ncontent-of-BYTES\r\n",
                    "\r\n\r\ncontent-of-BYTES",
                ]
            ),
            (
                "-H X:BYTES -H @FIELDS -A BYTES -e BYTES -b a=BYTES -u BYTES:xBYTES URL/",
                [
                    "\r\nX: BYTES\r\n", "\r\nX-File: BYTES\r\n", "\r\nUser-Agent: BYTES\r\n", "\r\nReferer: BYTES\r\n",
                    "\r\nCookie: a=BYTES\r\n", "\r\nAuthorization: Basic LOGIN\r\n",
                ]
            ),
            (
                "--oauth2-bearer BYTES --url URL/a/../BYTES?q=BYTES",
                ["\r\nAuthorization: Bearer BYTES\r\n", "GET /ESCAPED?q=ESCAPED HTTP/1.1\r\n"]
            ),
            ("-G -d q=BYTES -d @BYTES URL/", ["GET /?q=ESCAPED&content-of-ESCAPED HTTP/1.1\r\n"]),
            ("-T BYTES URL/", ["PUT /ESCAPED HTTP/1.1\r\n", "\r\n\r\ncontent-of-BYTES"]),
            ("upload BYTES URL/x -s", ["\r\n\r\ncontent-of-BYTES"]),
            (
                "-d @BYTES --data-binary @BYTES --data-urlencode n@BYTES URL/",
                ["\r\n\r\ncontent-of-BYTES&content-of-BYTES&n=content-of-ESCAPED"]
            ),
            ("events URL/BYTES --no-reconnect", ["GET /ESCAPED HTTP/1.1\r\n"]),
        ])
    func sent(arguments: String, expected: [String]) async throws {
        for text in Self.texts {
            let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
            let (folder, words) = try Self.prepare(arguments, text, origin)
            let result = try await TernTool.run(bytes: words, in: folder)
            try await Self.remove(folder)
            let request = try #require(origin.requests.first, "\(result.errors)")
            let all = request.head + request.body
            for words in expected {
                #expect(
                    all.firstRange(of: Self.replacing(words, text)) != nil,
                    "\(words) in \(String(decoding: all, as: UTF8.self)): \(result.errors)")
            }
        }
    }

    @Test(
        "a file has the name that an option or a URL gives it, byte for byte",
        arguments: [
            ("-o BYTES.o URL/", "BYTES.o"), ("-D BYTES.d -o /dev/null URL/", "BYTES.d"),
            ("--create-dirs --output-dir BYTES.f -o BYTES URL/", "BYTES.f/BYTES"), ("-O URL/BYTES.u", "BYTES.u"),
            ("-O URL/%E9.u", "%E9.u"), ("-OO URL/one URL/d/BYTES.two?q#f", "BYTES.two"),
            ("download -s URL/ESCAPED.txt", "BYTES.txt"), ("download -s -O URL/BYTES.txt", "BYTES.txt"),
            ("download -s -o BYTES.x URL/", "BYTES.x"),
            ("download -s --create-dirs -o BYTES.f/BYTES URL/", "BYTES.f/BYTES"),
        ])
    func written(arguments: String, expected: String) async throws {
        for text in Self.texts {
            let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
            let (folder, words) = try Self.prepare(arguments, text, origin)
            let result = try await TernTool.run(bytes: words, in: folder)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
            #expect(try Self.content(folder, Self.replacing(expected, text)) != nil)
            // The file that is there now is replaced.
            let again = words.first == Array("download".utf8) && !arguments.contains("-o") ? ["--clobber"] : []
            let second = try await TernTool.run(bytes: words + again.map { Array($0.utf8) }, in: folder)
            #expect(second.status == 0, "\(second.errors)")
            try await Self.remove(folder)
        }
    }

    @Test func `-w writes its format, the name of the file and fields byte for byte`() async throws {
        for text in Self.texts {
            let head = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + text + Array("\r\nX: two\r\nContent-Type: ".utf8) + text
            let origin = try ScriptedOrigin { _, _ in [.send(head + Array("\r\nContent-Length: 0\r\n\r\n".utf8))] }
            let (folder, words) = try Self.prepare(
                "-o BYTES.o -w BYTES|%{filename_effective}|%header{x}|%{content_type}| URL/", text, origin)
            let result = try await TernTool.run(bytes: words, in: folder)
            try await Self.remove(folder)
            let bar: [UInt8] = [UInt8(ascii: "|")]
            #expect([UInt8](result.output) == text + bar + text + Array(".o|".utf8) + text + bar + text + bar)
        }
    }

    @Test func `heads are written as they were received`() async throws {
        for text in Self.texts {
            let head = Array("HTTP/1.1 200 ".utf8) + text + Array("\r\nX: ".utf8) + text
            let bytes = head + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
            let origin = try ScriptedOrigin { _, _ in [.send(bytes)] }
            for option in ["-i", "-D-"] {
                #expect(try await [UInt8](TernTool.run(option, origin.url("/")).output) == bytes)
            }
        }
    }

    @Test(
        "an error shows such bytes as escapes",
        arguments: [
            ("-T no\u{E9} URL/", "-T: cannot read no\\xE9"), ("-d @no\u{E9} URL/", "-d: cannot read no\\xE9"),
            ("-o no\u{E9}/x URL/", "-o: cannot write no\\xE9/x"),
            ("--cacert no\u{E9} https://a/", "cannot read no\\xE9"),
            ("--cert no\u{E9} https://a/", "cannot read no\\xE9"), ("-H no\u{E9} URL/", "-H \"no\\xE9\""),
            ("--no\u{E9} URL/", "'--no\\xE9'"), ("http://no\u{E9}/", "no%E9"), ("-F no\u{E9} URL/", "-F no\\xE9"),
            ("trust pins no\u{E9}", "no"),
        ])
    func shown(arguments: String, expected: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        let words = arguments.split(separator: " ").map { word in
            Self.latin1(String(word).replacing("URL", with: origin.url("")))
        }
        let result = try await TernTool.run(bytes: words, in: TemporaryFolder())
        #expect(result.status != 0)
        #expect(result.errors.contains(expected), "\(result.errors)")
    }

    /// A folder with a file of that name, and the arguments.
    private static func prepare(
        _ arguments: String, _ text: [UInt8], _ origin: ScriptedOrigin
    ) throws -> (TemporaryFolder, [[UInt8]]) {
        let folder = try TemporaryFolder()
        let fields = try folder.write(Data("X-File: ".utf8) + text, to: "fields")
        let path = Array((folder.url.path + "/").utf8) + text + [0]
        let content = Array("content-of-".utf8) + text
        let descriptor = unsafe open(path.map(CChar.init(bitPattern:)), O_WRONLY | O_CREAT, 0o600)
        let count = unsafe write(descriptor, content, content.count)
        close(descriptor)
        #expect(count == content.count)
        let words = arguments.split(separator: " ").map { word in
            replacing(String(word).replacing("URL", with: origin.url("")).replacing("FIELDS", with: fields), text)
        }
        return (folder, words)
    }

    private static func replacing(_ words: String, _ text: [UInt8]) -> [UInt8] {
        let escaped = text.map { String(format: "%%%02X", $0) }.joined()
        let login = Data(text + Array(":x".utf8) + text).base64EncodedString()
        let parts: [Substring] = words.replacing("ESCAPED", with: escaped).replacing("LOGIN", with: login).split(
            separator: "BYTES", omittingEmptySubsequences: false)
        return Array(parts.map { Array($0.utf8) }.joined(separator: text))
    }

    /// Foundation removes no file whose name is not UTF-8.
    private static func remove(_ folder: TemporaryFolder) async throws {
        _ = try await Command.run(["rm", "-rf", folder.url.path])
    }

    private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    private static func content(_ folder: TemporaryFolder, _ name: [UInt8]) throws -> Int? {
        var status = stat()
        let path = (Array((folder.url.path + "/").utf8) + name + [0]).map(CChar.init(bitPattern:))
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
