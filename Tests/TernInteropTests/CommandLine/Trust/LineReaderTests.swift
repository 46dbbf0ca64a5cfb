// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct LineReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The lengths of the lines; nil for one that is too long.
    private func lengths(_ contents: Data) throws -> [Int?] {
        var reader = try LineReader(path: try folder.write(contents, to: "file"))
        var found: [Int?] = []
        while let line = try reader.next(beforeWaiting: {}) {
            switch line {
            case .bytes(let bytes): found.append(bytes.count)
            case .tooLong: found.append(nil)
            }
        }
        return found
    }

    @Test(
        arguments: [
            ("", []), ("\n", [0]), ("a", [1]), ("a\n", [1]), ("a\n\nbc", [1, 0, 2]), ("a\r\n", [2]),
        ] as [(String, [Int?])])
    func `lines end at line feeds, and the last one at the end`(text: String, expected: [Int?]) throws {
        #expect(try lengths(Data(text.utf8)) == expected)
    }

    @Test func `a line that is too long is skipped, and the next one is read`() throws {
        let most = LineReader.maximumLength
        func line(_ count: Int) -> Data { Data(repeating: UInt8(ascii: "x"), count: count) + Data("\n".utf8) }
        #expect(try lengths(line(most) + line(most + 1) + line(3)) == [most, nil, 3])
        #expect(try lengths(Data(repeating: UInt8(ascii: "x"), count: most + 1)) == [nil])
    }

    @Test func `what cannot be opened or read says so`() {
        #expect {
            _ = try LineReader(path: "/nowhere/x")
        } throws: {
            "\($0)" == "cannot read /nowhere/x: No such file or directory"
        }
        #expect(throws: LineReader.ReadError.self) {
            var reader = try LineReader(path: "/")
            _ = try reader.next(beforeWaiting: {})
        }
    }
}
