// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// `tern events`: follows a stream of server-sent events.
struct EventsCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .toggle("--report-json", help: "Print one JSON object on each line: data, event, id.") { $0.isJSON = $1 },
            .toggle("--no-reconnect", help: "End when the stream ends.") { $0.endsWithStream = $1 },
            .value(
                "--max-event-size", as: "bytes",
                help: "The maximum size of an event, 1M by default; K, M and G are powers of 1024."
            ) { $0.maximumEventSize = try $1.read(ByteCount.init(argument:)) },
            .group(
                \.options,
                part: OptionTable(
                    FetchOptions.url, FetchOptions.request(OptionTable(ContentOptions.method, ContentOptions.data)),
                    .group(\.accepted, "Accepted, without effect"))),
            .group(\.global.messages, "Output"), .group(\.global.record, "Output"))
    }

    static let name = "events"
    static let abstract = "Follow a stream of server-sent events."
    static let endsLikeCurl = true
    static let discussion = """
        Prints each event as its fields and an empty line, or as one line of JSON, with control characters \
        escaped. A stream that ends or is interrupted is resumed after the time that the server sets, or 3 s; but \
        not if the first request fails, or the response is not a stream of events. Ends at a 204 and by Ctrl-C.
        """

    var isJSON = false
    var endsWithStream = false
    var maximumEventSize: ByteCount?
    var options = FetchOptions()
    var global = GlobalOptions()

    func validate() throws { try RunOptions(options, global).validate() }

    func run() async throws {
        let stream = try StreamFetch(options, global)
        let events = stream.session.events(
            for: stream.request, reconnection: endsWithStream ? .never : nil,
            maximumEventSize: maximumEventSize?.bytes ?? Session.maximumEventSize, delegate: stream.delegate)
        try await stream.follow { [isJSON] in
            for try await event in events { try StandardStreams.print(EventText.text(of: event, isJSON: isJSON)) }
        }
    }
}

/// How an event is printed.
enum EventText {
    /// Its fields as they are written in a stream, and the terminating empty line without its line end; or one line of
    /// JSON.
    static func text(of event: ServerSentEvent, isJSON: Bool) throws -> String {
        if isJSON { return try JSONReport.text(Object(data: event.data, event: event.event, id: event.id)) }
        var lines: [String] = []
        if event.event != ServerSentEvent.defaultType { lines.append("event: \(event.event)") }
        if !event.id.isEmpty { lines.append("id: \(event.id)") }
        lines += event.data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private struct Object: Encodable {
        let data: String
        let event: String
        let id: String
    }
}
