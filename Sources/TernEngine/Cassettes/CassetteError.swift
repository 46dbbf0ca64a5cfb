// SPDX-License-Identifier: Apache-2.0
public import TernSystem

/// Why a cassette cannot be read or written.
public struct CassetteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What a cassette breaks.
    public enum Rule: Sendable, Hashable {
        /// The file cannot be read or written.
        case file(SystemCallError)
        /// No file exists there.
        case missing
        /// The first line is not that of a cassette.
        case noCassette
        /// The cassette has another version than ``Cassette/version``.
        case version(Int)
        /// The cassette has fewer lines, or more, than its first line says; or the last one has no end.
        case truncated(expected: Int, found: Int)
        /// A line does not say what it has to say.
        case malformed(String)
        /// The named part of an interaction has a secret in it. A cassette that Tern has written has none.
        case secret(in: String)
        /// The content of a request or a response is longer than ``Cassette/maximumContentLength`` bytes.
        case contentTooLong(url: String)
    }

    /// What it breaks.
    public let rule: Rule
    /// The path of the file.
    public let path: String
    /// The number of the line, from 1; nil for the file as a whole.
    public let line: Int?

    init(_ rule: Rule, in path: String, line: Int? = nil) { (self.rule, self.path, self.line) = (rule, path, line) }

    /// One line for a log.
    public var description: String {
        let place = line.map { "\(path.excerpt), line \($0)" } ?? path.excerpt
        return "the cassette \(place): \(text)"
    }

    private var text: String {
        switch rule {
        case .file(let error): "\(error)"
        case .missing: "no such file; record one first"
        case .noCassette: "the first line is not {\"cassette\":\(Cassette.version),\"interactions\":…}"
        case .version(let version): "it has version \(version), and this is a reader of version \(Cassette.version)"
        case .truncated(let expected, let found):
            "it has \(found) complete interactions, and its first line says \(expected)"
        case .malformed(let error): "it is no interaction: \(error.excerpt)"
        case .secret(let part): "its \(part.excerpt) has a secret; record it again, or put \"redacted\" in its place"
        case .contentTooLong(let url):
            "the content for \(url.excerpt) is longer than the \(Cassette.maximumContentLength) bytes of a cassette"
        }
    }
}
