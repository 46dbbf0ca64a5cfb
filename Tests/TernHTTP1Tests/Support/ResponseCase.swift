// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A response and what must come of it, written as text:
///
///     # RFC 9112 §6.3: content of known length        name
///     > HEAD eof maximumFieldCount=3 bareLineFeedInHead      how it is asked for and read; optional
///     HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok  input, over any number of lines
///     = 200 OK | Content-Length: 2 | body ok | end    expected; `Name: value` looks into the last head
///
/// An expected `error` is at the byte behind `\^`, or at the input's end.
struct ResponseCase: CustomStringConvertible {
    var name = ""
    var input: [UInt8] = []
    var script = ResponseScript()
    var expected: [String] = []
    var mark: Int?

    var description: String { name }

    /// What was expected of the events, and of the last head's fields.
    var expectedEvents: [String] {
        expected.filter { !isField($0) }.map { $0.hasPrefix("error ") ? "\($0) @\(mark ?? input.count)" : $0 }
    }
    var expectedFields: [String] { expected.filter(isField) }

    private func isField(_ item: String) -> Bool {
        item.contains(": ") && !["body ", "trailer ", "discarded ", "error "].contains { item.hasPrefix($0) }
    }

    /// - Parameter head: what the input of every case begins with.
    static func parse(_ text: String, head: String = "") -> [ResponseCase] {
        var cases: [ResponseCase] = []
        let fresh = ResponseCase(input: unescaped(head))
        var current = fresh
        for line in text.split(separator: "\n") {
            switch line.first {
            case "#": current.name = String(line.dropFirst(2))
            case ">": for word in line.dropFirst(2).split(separator: " ") { current.script.set(word) }
            case "=":
                current.expected = line.dropFirst(2).split(separator: " | ").map(String.init)
                cases.append(current)
                current = fresh
            case _:
                let start = current.input.count
                var mark: Int?
                current.input += unescaped(line, mark: &mark)
                if let mark { current.mark = start + mark }
            }
        }
        return cases
    }
}

extension ResponseScript {
    mutating func set(_ word: Substring) {
        let parts = word.split(separator: "=").map(String.init)
        let value = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        switch parts[0] {
        case "eof": closes = true
        case "upgrade": fields = ["Connection": "upgrade", "Upgrade": "x"]
        case "close": fields = ["Connection": "close"]
        case "bareLineFeedInHead": leniency.insert(.bareLineFeedInHead)
        case "chunkedInHTTP10": leniency.insert(.chunkedInHTTP10)
        case "maximumStatusLineSize": limits.maximumStatusLineSize = value
        case "maximumFieldCount": limits.maximumFieldCount = value
        case "maximumFieldLineSize": limits.maximumFieldLineSize = value
        case "maximumFieldSectionSize": limits.maximumFieldSectionSize = value
        case "maximumChunkLineSize": limits.maximumChunkLineSize = value
        case "maximumChunkOverheadRatio": limits.maximumChunkOverheadRatio = value
        case "chunkOverheadAllowance": limits.chunkOverheadAllowance = value
        case "maximumTrailerCount": limits.maximumTrailerCount = value
        case "maximumTrailerSectionSize": limits.maximumTrailerSectionSize = value
        case "maximumInformationalResponseCount": limits.maximumInformationalResponseCount = value
        case let method: self.method = method
        }
    }
}
