// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
import TernHTTP1
import TernLock

/// Requests and their responses for tests: recorded once from real servers, and played afterwards without a network.
///
/// ```swift
/// import Foundation
/// import TernEngine
///
/// let file = URL(filePath: "users.jsonl")
/// let isRecording = ProcessInfo.processInfo.environment["RECORD"] != nil
/// let cassette = try isRecording ? Cassette() : Cassette(contentsOf: file)
/// var configuration = SessionConfiguration()
/// configuration.cassette = cassette
/// // … use a session with this configuration …
/// if isRecording { try cassette.write(to: file) } else { print("not played:", cassette.unplayed) }
/// ```
///
/// **Recording**: each exchange with a server is recorded: those of redirects, of retries and of challenges, too, with
/// informational responses, trailers and coded content as they came. What has no response is not recorded, nor is what
/// caches and protocol classes answer, an upgrade, a raw stream, and what a session asks for itself about certificates.
///
/// **Playing** is strict: a recorded response answers one request, in the order of recording among those that match, and a
/// request that none matches fails with ``SessionError/RequestFailure/notRecorded(_:)``. A session that plays opens no
/// connection: what would need one, such as a raw stream, fails with
/// ``SessionError/ConnectingFailure/egressRefused(_:)``. Caches, policies and redirects see a played response as they see
/// that of a server.
///
/// **The file** has one JSON object per line: the first with the version and the number of the others, and one for each
/// request with its response. It has no secrets: values of sensitive fields (``SensitiveFields``), of cookies, of query
/// items, fields of forms and members of JSON objects whose names indicate a secret are `redacted`, and a file where they are
/// not is refused. A secret in a path, or in content of another kind, stays.
///
/// Any thread may use it, and several sessions.
public final class Cassette: Sendable {
    /// The version of the format.
    public static let version = 1
    /// The maximum length of the content of a request or a response, in bytes.
    public static let maximumContentLength = 16 * 1024 * 1024
    /// The maximum length of a file, in bytes.
    private static let maximumFileLength = 256 * 1024 * 1024

    /// What of a request has to be as it was recorded, besides its method and its URL.
    public struct Matching: Sendable, Hashable {
        /// Whether its content has to be, if that lies in memory: JSON by what it says, forms of several parts without their
        /// boundary, other content byte by byte.
        public var comparesContent = true
        /// The names of fields that have to be.
        public var fields: [String] = []

        /// Compares the content, and no fields.
        public init() {}
    }

    private struct Entry: Sendable {
        /// Nil until it is complete.
        var interaction: CassetteInteraction?
        var sensitiveFields = SensitiveFields()
        var isPlayed = false
    }

    /// Whether recorded responses answer. Otherwise what servers answer is recorded.
    public let isPlaying: Bool
    /// What has to be as it was recorded.
    public let matching: Matching
    private let sensitiveFields: SensitiveFields
    private let entries: Lock<[Entry]>

    /// Creates an empty cassette that records.
    ///
    /// - Parameter sensitiveFields: fields with secrets, besides those of the session and of the requests.
    public init(sensitiveFields: SensitiveFields = SensitiveFields()) {
        (isPlaying, matching, self.sensitiveFields) = (false, Matching(), sensitiveFields)
        entries = Lock([])
    }

    /// Creates a cassette that plays what was recorded.
    ///
    /// - Parameters:
    ///   - file: what ``write(to:)`` has written.
    ///   - matching: what of a request has to be as it was recorded.
    ///   - sensitiveFields: fields with secrets, besides those of the session and of the requests.
    public init(
        contentsOf file: URL, matching: Matching = Matching(), sensitiveFields: SensitiveFields = SensitiveFields()
    ) throws(CassetteError) {
        (isPlaying, self.matching, self.sensitiveFields) = (true, matching, sensitiveFields)
        let path = file.path(percentEncoded: false)
        let interactions = try Self.read(path, CassetteRedaction(sensitiveFields: sensitiveFields))
        entries = Lock(interactions.map { Entry(interaction: $0) })
    }

    /// The number of complete interactions.
    public var count: Int { entries.withLock { $0.count { $0.interaction != nil } } }

    /// The methods and URLs of what has not been played, without secrets.
    public var unplayed: [String] {
        let requests = entries.withLock { $0.filter { !$0.isPlayed }.compactMap(\.interaction?.request) }
        return requests.map(\.title)
    }

    /// Everything can be played again.
    public func rewind() {
        entries.withLock { entries in for index in entries.indices { entries[index].isPlayed = false } }
    }
}

// The file
extension Cassette {
    private struct Title: Codable {
        let cassette: Int
        let interactions: Int
    }

    /// Writes what is complete to a file, without secrets. A file that exists is replaced in one step.
    public func write(to file: URL) throws(CassetteError) {
        let path = file.path(percentEncoded: false)
        let recorded = entries.withLock { $0.filter { $0.interaction != nil } }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines: [[UInt8]] = []
        for entry in recorded {
            guard let interaction = entry.interaction else { continue }
            let redaction = redaction(besides: entry.sensitiveFields)
            let redacted = redaction.redacted(interaction)
            let length = max(interaction.request.body?.bytes.count ?? 0, interaction.response.body.bytes.count)
            if length > Self.maximumContentLength {
                throw CassetteError(.contentTooLong(url: redacted.request.url), in: path)
            }
            // Texts, numbers and booleans can always be encoded.
            if let line = try? encoder.encode(redacted) { lines.append(Array(line)) }
        }
        let title = (try? encoder.encode(Title(cassette: Self.version, interactions: lines.count))) ?? Data()
        let text = ([Array(title)] + lines).flatMap { $0 + [UInt8(ascii: "\n")] }
        do throws(SystemCallError) { try OutputFile.replace(path, by: text) } catch {
            throw CassetteError(.file(error), in: path)
        }
    }

    private static func read(
        _ path: String, _ redaction: CassetteRedaction
    ) throws(CassetteError) -> [CassetteInteraction] {
        let content: [UInt8]?
        do throws(SystemCallError) { content = try FileContent.read(path, limit: maximumFileLength) } catch {
            throw CassetteError(.file(error), in: path)
        }
        guard let content else { throw CassetteError(.missing, in: path) }
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        guard let first = lines.first, let title = try? JSONDecoder().decode(Title.self, from: Data(first)) else {
            throw CassetteError(.noCassette, in: path)
        }
        guard title.cassette == version else { throw CassetteError(.version(title.cassette), in: path) }
        let isEnded = content.last == UInt8(ascii: "\n")
        let found = lines.count - (isEnded ? 1 : 2)
        guard found == title.interactions else {
            throw CassetteError(.truncated(expected: title.interactions, found: max(0, found)), in: path)
        }
        var interactions: [CassetteInteraction] = []
        let decoder = JSONDecoder()
        for (index, line) in lines.enumerated().dropFirst() {
            do {
                let interaction = try decoder.decode(CassetteInteraction.self, from: Data(line))
                try interaction.check()
                interactions.append(interaction)
            } catch {
                throw CassetteError(.malformed("\(error)"), in: path, line: index + 1)
            }
            if let part = interactions.last?.partChanged(by: redaction) {
                throw CassetteError(.secret(in: part), in: path, line: index + 1)
            }
        }
        return interactions
    }
}

extension CassetteInteraction.Request {
    /// For a reader.
    var title: String { "\(method) \(url)" }
}

extension CassetteInteraction {
    /// Throws if no server could send the response.
    fileprivate func check() throws(HTTPProtocolError) {
        for head in response.informational ?? [] { _ = try head.head() }
        _ = try response.head.head()
    }

    /// The name of a part that has a secret in it; nil if none has.
    fileprivate func partChanged(by redaction: CassetteRedaction) -> String? {
        let redacted = redaction.redacted(self)
        if redacted == self { return nil }
        let fields = request.headers + response.fields
        let redactedFields = redacted.request.headers + redacted.response.fields
        if redacted.request.url != request.url { return "URL" }
        if redacted.request.body != request.body { return "request content" }
        if redacted.response.body != response.body { return "response content" }
        return zip(fields, redactedFields).first { $0 != $1 }.map { "field \($0.0.name)" } ?? "fields"
    }
}

extension CassetteInteraction.Response {
    /// Those of all its sections.
    fileprivate var fields: [RecordedField] {
        let heads = [head] + (informational ?? [])
        return heads.flatMap(\.headers) + (trailers ?? []) + (discardedTrailers ?? [])
    }
}

// For a session
extension Cassette {
    /// The cassette alone decides whether query items are redacted: a reader of the file does not know the session.
    private func redaction(besides others: SensitiveFields) -> CassetteRedaction {
        var all = sensitiveFields.union(others)
        all.redactsQueryItems = sensitiveFields.redactsQueryItems
        return CassetteRedaction(sensitiveFields: all)
    }

    /// Returns the response to a request, which answers no other one.
    func play(_ request: URLRequest, _ ofSession: SensitiveFields) throws(MissingRecording)
        -> CassetteInteraction.Response
    {
        let redaction = redaction(besides: ofSession.union(request.sensitiveFields))
        let asked = redaction.redacted(CassetteInteraction.Request(request))
        // Content that does not lie in memory is not compared.
        var matching = matching
        if asked.body == nil, let body = request.body, body.announcedLength != 0 { matching.comparesContent = false }
        let result: Result<CassetteInteraction.Response, MissingRecording> = entries.withLock { entries in
            // In order, a request is compared with few others: with what was played only where nothing answers.
            for index in entries.indices where !entries[index].isPlayed {
                guard let interaction = entries[index].interaction,
                    asked.difference(from: interaction.request, in: matching) == nil
                else { continue }
                entries[index].isPlayed = true
                return .success(interaction.response)
            }
            let differences = entries.compactMap(\.interaction).map { asked.difference(from: $0.request, in: matching) }
            let played = differences.count { $0 == nil }
            let nearest = differences.compactMap(\.self).last { $0 != .request } ?? .request
            return .failure(MissingRecording(played > 0 ? .played(count: played) : nearest, of: asked.title))
        }
        return try result.get()
    }

    /// Returns the place of an interaction that begins now.
    func begin() -> Int {
        entries.withLock { entries in
            entries.append(Entry())
            return entries.count - 1
        }
    }

    /// The interaction that began at this place is over.
    func end(_ place: Int, _ interaction: CassetteInteraction, _ sensitiveFields: SensitiveFields) {
        entries.withLock { $0[place] = Entry(interaction: interaction, sensitiveFields: sensitiveFields) }
    }
}
