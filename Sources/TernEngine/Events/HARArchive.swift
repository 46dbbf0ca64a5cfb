// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTLS

/// An HTTP Archive as its specification has it (HAR 1.2): names of members are those of the archive. What is nil is
/// left out.
struct HARArchive: Encodable {
    struct Creator: Encodable {
        let name: String
        let version: String
    }

    struct Log: Encodable {
        let version = "1.2"
        let creator: Creator
        let entries: [Entry]
        let comment: String?

        init(creator: Creator, entries: [Entry], comment: String?) {
            (self.creator, self.entries, self.comment) = (creator, entries, comment)
        }

        private enum CodingKeys: String, CodingKey { case version, creator, entries, comment }
    }

    struct Pair: Encodable {
        let name: String
        let value: String
    }

    struct Cookie: Encodable {
        let name: String
        let value = SensitiveFields.placeholder
        var path: String?
        var domain: String?
        var expires: String?
        var httpOnly: Bool?
        var secure: Bool?

        private enum CodingKeys: String, CodingKey { case name, value, path, domain, expires, httpOnly, secure }
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion = "HTTP/1.1"
        let cookies: [Cookie]
        let headers: [Pair]
        let queryString: [Pair]
        let headersSize = -1
        let bodySize: Int64

        private enum CodingKeys: String, CodingKey {
            case method, url, httpVersion, cookies, headers, queryString, headersSize, bodySize
        }
    }

    struct Response: Encodable {
        let status: Int
        let statusText: String
        let httpVersion: String
        let cookies: [Cookie]
        let headers: [Pair]
        let content: Content
        let redirectURL: String
        let headersSize = -1
        let bodySize: Int64
        let transferSize: Int64?
        let error: String?

        private enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
            case transferSize = "_transferSize"
            case error = "_error"
        }
    }

    struct Content: Encodable {
        let size: Int64
        let mimeType: String
    }

    struct Cache: Encodable {
        let comment: String?
    }

    /// In milliseconds; -1 for what did not occur.
    struct Timings: Encodable {
        let blocked: Double
        let dns: Double
        /// Includes ``ssl``.
        let connect: Double
        let ssl: Double
        let send: Double
        let wait: Double
        let receive: Double

        init(_ phases: [AttemptPhase]) {
            func time(_ kinds: AttemptPhase.Kind..., else absent: Double) -> Double {
                let phases = phases.filter { kinds.contains($0.kind) }
                return phases.isEmpty ? absent : HARArchive.milliseconds(of: phases)
            }
            (blocked, dns) = (time(.blocked, else: -1), time(.dns, else: -1))
            (connect, ssl) = (time(.connect, .tls, else: -1), time(.tls, else: -1))
            (send, wait, receive) = (time(.send, else: 0), time(.wait, else: 0), time(.receive, else: 0))
        }
    }

    struct Entry: Encodable {
        let startedDateTime: String
        /// The sum of ``timings``, in milliseconds.
        let time: Double
        let request: Request
        let response: Response
        let cache: Cache
        let timings: Timings
        let serverIPAddress: String?
        let connection: String?
        let comment: String
        let fromCache: String?
        /// The developer tools of Chromium take the type from it.
        let resourceType: String
        let webSocketMessages: [Message]?
        let task: Int
        let hop: Int
        let attempt: Int?
        let isHedge: Bool?

        private enum CodingKeys: String, CodingKey {
            case startedDateTime, time, request, response, cache, timings, serverIPAddress, connection, comment
            case fromCache = "_fromCache"
            case resourceType = "_resourceType"
            case webSocketMessages = "_webSocketMessages"
            case task = "_task"
            case hop = "_hop"
            case attempt = "_attempt"
            case isHedge = "_hedge"
        }
    }

    /// As the developer tools of Chromium have it, without the message itself.
    struct Message: Encodable {
        /// `send` or `receive`.
        let type: String
        /// Seconds since 1970.
        let time: Double
        /// 1 for a text, 2 for bytes.
        let opcode: Int
        let data = ""
        let size: Int

        private enum CodingKeys: String, CodingKey {
            case type, time, opcode, data
            case size = "_size"
        }
    }

    let log: Log

    /// The time of all of them.
    fileprivate static func milliseconds(of phases: [AttemptPhase]) -> Double {
        Double(phases.reduce(0) { $0 + $1.end.nanoseconds - $1.start.nanoseconds }) / 1e6
    }
}

/// What an entry is made of.
struct HARSource {
    let task: Int
    let entry: TaskRecord.Entry
    /// Seconds since 1970.
    let startTime: Double

    init(task: Int, entry: TaskRecord.Entry, of record: TaskRecord) {
        (self.task, self.entry) = (task, entry)
        startTime = record.startTime + entry.start.seconds(since: record.start)
    }
}

extension HARArchive.Entry {
    init(_ source: HARSource) {
        let entry = source.entry
        let phases = entry.phases
        let redactor = Redactor(sensitiveFields: entry.request.sensitiveFields)
        let connection = entry.metrics?.connection
        let messages = entry.messages.suffix(TaskRecord.maximumMessageCount).map { message in
            HARArchive.Message(
                type: message.isSent ? "send" : "receive",
                time: source.startTime + message.time.seconds(since: entry.start),
                opcode: message.isText ? 1 : 2, size: message.size)
        }
        self.init(
            startedDateTime: Self.text(source.startTime),
            time: HARArchive.milliseconds(of: phases),
            request: redactor.request(of: entry), response: redactor.response(of: entry),
            cache: HARArchive.Cache(comment: entry.cacheStatus?.description), timings: HARArchive.Timings(phases),
            serverIPAddress: connection?.remoteAddress.host, connection: (connection?.identifier).map(String.init),
            comment: entry.outcome, fromCache: entry.isFromCache ? "cache" : nil,
            resourceType: messages.isEmpty ? "fetch" : "websocket",
            webSocketMessages: messages.isEmpty ? nil : Array(messages), task: source.task, hop: entry.hop,
            attempt: entry.attempt > 0 ? entry.attempt : nil, isHedge: entry.isHedge ? true : nil)
    }

    /// ISO 8601, with milliseconds; of times outside the years 1970 to 9999 the nearest. A server chooses those of cookies.
    fileprivate static func text(_ time: Double) -> String {
        let milliseconds = Int64((min(max(0, time), 253_402_300_799) * 1_000).rounded(.down))
        let fraction = String(1_000 + milliseconds % 1_000).dropFirst()
        return "\(Timestamp.rfc3339(milliseconds / 1_000).dropLast()).\(fraction)Z"
    }
}

/// Makes parts of an archive, without secrets.
private struct Redactor {
    let sensitiveFields: SensitiveFields

    func request(of entry: TaskRecord.Entry) -> HARArchive.Request {
        let request = entry.request
        // An archive's URLs have no fragments.
        let url = text((request.url?.absoluteString ?? "").prefix { $0 != "#" })
        let host = request.headers.contains("Host") ? nil : (try? request.destination.get())?.origin.hostField
        return HARArchive.Request(
            method: request.httpMethod ?? "GET", url: url,
            cookies: request.headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }.map { pair in
                HARArchive.Cookie(name: String(pair.drop { $0 == " " }.prefix { $0 != "=" }))
            },
            headers: (host.map { [HARArchive.Pair(name: "Host", value: $0)] } ?? []) + request.headers.map(pair),
            queryString: Self.query(of: url),
            bodySize: entry.sentContentLength ?? (request.body == nil ? 0 : -1))
    }

    func response(of entry: TaskRecord.Entry) -> HARArchive.Response {
        let failure = entry.metrics?.failure?.kind.rawValue
        guard let response = entry.response else {
            return HARArchive.Response(
                status: 0, statusText: "", httpVersion: "", cookies: [], headers: [],
                content: HARArchive.Content(size: 0, mimeType: "x-unknown"), redirectURL: "", bodySize: -1,
                transferSize: entry.metrics?.countOfBytesReceived, error: failure)
        }
        let announced = response.bodyLength(answering: entry.request)
        // What has not come in full has no known length.
        let length = failure == nil ? announced.map(Int64.init) ?? -1 : -1
        return HARArchive.Response(
            status: response.statusCode, statusText: response.reasonPhrase, httpVersion: "\(response.head.version)",
            cookies: response.head.bytes(for: "Set-Cookie").prefix(SetCookie.maximumCount).compactMap(cookie),
            headers: response.headers.map(pair),
            content: HARArchive.Content(
                size: length, mimeType: response.value(forHTTPHeaderField: "Content-Type") ?? "x-unknown"),
            redirectURL: text(response.value(forHTTPHeaderField: "Location") ?? ""),
            bodySize: entry.metrics == nil ? 0 : length, transferSize: entry.metrics?.countOfBytesReceived,
            error: failure)
    }

    private func text(_ text: some StringProtocol) -> String {
        sensitiveFields.archived(String(text))
    }

    private func pair(_ field: HeaderField) -> HARArchive.Pair {
        let isSecret = sensitiveFields.isSecret(fieldNamed: field.name)
        return HARArchive.Pair(
            name: field.name, value: isSecret ? SensitiveFields.placeholder : sensitiveFields.archived(field.value))
    }

    private func cookie(_ field: [UInt8]) -> HARArchive.Cookie? {
        SetCookie(field).map { cookie in
            HARArchive.Cookie(
                name: cookie.name.text, path: cookie.path?.text, domain: cookie.domain,
                expires: cookie.expires.map { HARArchive.Entry.text(Double($0)) }, httpOnly: cookie.isHTTPOnly,
                secure: cookie.isSecure)
        }
    }

    /// The items of the query of a URL, decoded.
    private static func query(of url: String) -> [HARArchive.Pair] {
        guard let start = url.firstIndex(of: "?") else { return [] }
        return url[start...].dropFirst().split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return HARArchive.Pair(name: decoded(name), value: decoded(item.dropFirst(name.count + 1)))
        }
    }

    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decoded(Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }
}
