// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// `tern events`: follows a stream of server-sent events.
struct EventsCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand("url", help: "An http or https URL.") { $0.url = $1.text },
            .toggle("--json", help: "Print one JSON object on each line: data, event, id.") { $0.isJSON = $1 },
            .toggle("--no-reconnect", help: "End when the stream ends.") { $0.endsWithStream = $1 },
            .value(
                "--max-event-size", as: "bytes",
                help: "The maximum size of an event, 1M by default; K, M and G are powers of 1024."
            ) { $0.maximumEventSize = try $1.read(ByteCount.init(argument:)) },
            .value("--connect-timeout", as: "seconds", help: "The maximum time to connect, in seconds.") {
                $0.connectTimeout = try $1.number()
            },
            .value("-m", "--max-time", as: "seconds", help: "The maximum time in all, in seconds; then it fails.") {
                $0.maximumTime = try $1.number()
            },
            .toggle("-L", "--location", help: "Follow redirects, but not from https to http.") { $0.isFollowing = $1 },
            .group(\.fields, "Header fields"),
            .group(\.routes),
            .group(\.trust, "Trust"),
            .group(\.accepted, "Accepted, without effect"))
    }

    static let name = "events"
    static let abstract = "Follow a stream of server-sent events."
    static let endsLikeCurl = true
    static let discussion = """
        Prints each event as its fields and an empty line, or as one line of JSON, with control characters \
        escaped. A stream that ends or is interrupted is resumed after the time that the server sets, or 3 s; but \
        not if the first request fails, or the response is not a stream of events. Ends at a 204 and by Ctrl-C.
        """

    var url = ""
    var isJSON = false
    var endsWithStream = false
    var maximumEventSize: ByteCount?
    var connectTimeout: Double?
    var maximumTime: Double?
    var isFollowing = false
    var fields = FieldOptions()
    var trust = TrustOptions()
    var routes = RouteOptions()
    var accepted = AcceptedOptions()

    func validate() throws {
        try InputFile.checkStandardInput(fields.inputs)
        if !fields.sensitiveFields.isEmpty, !isFollowing {
            throw UsageError("--sensitive keeps a field from other origins, and needs -L")
        }
        for (limit, name) in [(connectTimeout, "--connect-timeout"), (maximumTime, "--max-time")] {
            _ = try TransferOptions.duration(limit, name)
        }
    }

    func run() async throws {
        let target = try RequestedURL(argument: url)
        if !isFollowing { try trust.check(target) }
        var transfer = TransferOptions()
        (transfer.routes, transfer.isFollowing, transfer.connectTimeout) = (routes, isFollowing, connectTimeout)
        let builder = try RequestBuilder(fields, trust, transfer)
        let session = try SessionRegistry(isSilent: false).session(for: builder.session)
        let request = try builder.request(for: target, in: session.configuration)
        let events = session.events(
            for: request, reconnection: endsWithStream ? .never : nil,
            maximumEventSize: maximumEventSize?.bytes ?? Session.maximumEventSize)
        let isJSON = isJSON
        let reader = EventReader { event in try StandardStreams.print(EventText.text(of: event, isJSON: isJSON)) }
        try await reader.read(
            events, within: TransferOptions.duration(maximumTime, "--max-time"))
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
