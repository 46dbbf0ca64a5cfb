// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import Testing

@testable import TernEngine

@Suite struct FormPieceTests {
    @Test func `a chunk takes what it has room for`() {
        var piece = FormPiece()
        piece.begin(atMost: 5)
        let counts = [piece.append(Data("abc".utf8)), piece.append(Data("def".utf8)), piece.append(Data("g".utf8))]
        #expect(counts == [3, 2, 0])
        #expect(piece.room == 0)
        #expect(piece.take() == Data("abcde".utf8))
    }

    @Test func `bytes that are referenced do not change as the next chunk is filled`() {
        var piece = FormPiece()
        piece.begin(atMost: 3)
        _ = piece.append(Data("abc".utf8))
        let first = piece.take()
        piece.begin(atMost: 3)
        #expect(piece.isEmpty)
        _ = piece.append(Data("xyz".utf8))
        #expect(first == Data("abc".utf8))
        #expect(piece.take() == Data("xyz".utf8))
    }

    @Test func `a part of a file ends with the part, though the file continues`() throws {
        let folder = try TestFolder()
        try folder.write("12345", to: "file")
        let part = try FormFile(path: folder.path + "/file")
        try folder.write("1234567", to: "file")
        let file = try #require(try FileRange.File(path: part.path))
        var piece = FormPiece()
        piece.begin(atMost: 100)
        let counts = [
            try piece.append(file.source, part, at: 2), try piece.append(file.source, part, at: 5),
        ]
        #expect(counts == [3, 0])
        #expect(piece.take() == Data("345".utf8))
        #expect(try FormPiece.finds(file.source, part, at: 5))
        #expect(try !FormPiece.finds(file.source, part, at: 7))
    }
}
