// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// `tern trust evaluate --batch`: JSON lines in, one verdict per line out, in the same order.
struct TrustBatch: ~Copyable {
    private static let outputBuffer = 64 << 10

    private var reader: LineReader
    private var cache = CertificateCache()
    private var output = Data()

    /// - Returns: nil if the file cannot be opened.
    init?(path: String) {
        guard let reader = LineReader(path: path) else { return nil }
        self.reader = reader
    }

    /// Evaluates every case to the end of the file. An invalid line is refused, and the batch continues.
    ///
    /// - Throws: `LineReader.ReadError` or `StandardStreams.WriteError`.
    mutating func run() throws {
        while let line = try nextLine() {
            let verdict: BatchVerdict
            switch line {
            case .bytes(let bytes) where bytes.allSatisfy(Self.isBlank): continue
            case .bytes(let bytes): verdict = evaluate(bytes)
            case .tooLong:
                verdict = BatchVerdict(id: nil, .tooLong(limit: LineReader.maximumLength))
            }
            output.append(contentsOf: verdict.json.utf8)
            output.append(UInt8(ascii: "\n"))
            if output.count >= Self.outputBuffer { try Self.write(&output) }
        }
        try Self.write(&output)
    }

    /// A program that writes one case and waits for its verdict gets it: no output stays in a buffer during the wait
    /// for the next line.
    private mutating func nextLine() throws -> LineReader.Line? {
        var waiting = Data()
        swap(&waiting, &output)
        defer { swap(&waiting, &output) }
        return try reader.next { try Self.write(&waiting) }
    }

    private mutating func evaluate(_ line: [UInt8]) -> BatchVerdict {
        var id: BatchVerdict.ID?
        do throws(Malformed) {
            var fields = try Self.fields(line)
            id = try fields.take("id").map { element throws(Malformed) in try BatchVerdict.ID(element) }
            return BatchVerdict(id: id, try BatchCase(fields, cache: &cache).evaluate())
        } catch {
            return BatchVerdict(id: id, error)
        }
    }

    private static func fields(_ line: [UInt8]) throws(Malformed) -> JSONFields {
        do throws(PolicyFileError) { return try JSONFields(reading: line) } catch { throw Malformed(error) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    private static func write(_ data: inout Data) throws(StandardStreams.WriteError) {
        guard !data.isEmpty else { return }
        try StandardStreams.write(data)
        data.removeAll(keepingCapacity: true)
    }
}
