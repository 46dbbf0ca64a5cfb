// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What an exchange made of its input, in words: one per event, content joined, then what became of the connection.
struct Transcript: Equatable, CustomStringConvertible {
    var events: [String] = []
    var heads: [HeaderFields] = []
    /// The error, to the last detail.
    var error: HTTPProtocolError?
    private var content: [UInt8] = []
    private var hasContent = false

    var description: String { events.joined(separator: " | ") }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        content += bytes
        hasContent = true
    }

    mutating func add(_ event: String) {
        flush()
        events.append(event)
    }

    mutating func add(_ head: ResponseHead) {
        add(head.reason.isEmpty ? "\(head.status)" : "\(head.status) \(escaped(head.reason.utf8))")
        heads.append(head.fields)
    }

    mutating func addEnd(_ trailers: HeaderFields, discarded: HeaderFields) {
        add("end")
        for field in trailers { add("trailer \(field.name): \(escaped(field.value.utf8))") }
        for field in discarded { add("discarded \(field.name): \(escaped(field.value.utf8))") }
    }

    mutating func add(_ error: HTTPProtocolError) {
        self.error = error
        // "framing(TernHTTP1.HTTPProtocolError.Framing.length)" as "framing.length"
        let words = "\(error.reason)".split { $0 == "(" || $0 == ")" }
        let detail = words.dropFirst().first?.split(separator: ".").last.map { ".\($0)" } ?? ""
        let payload = words.count > 2 ? "(\(words[2]))" : ""
        add("error \(words.first ?? "")\(detail)\(payload) @\(error.offset)")
    }

    mutating func flush() {
        guard hasContent else { return }
        events.append("body \(escaped(content))")
        content = []
        hasContent = false
    }
}
