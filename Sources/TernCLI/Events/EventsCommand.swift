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
        let limit = try TransferOptions.duration(options.transfer.maximumTime, "--max-time")
        var options = try options.withNeededTrust()
        // It is that of all streams together.
        options.transfer.maximumTime = nil
        let files = try RunFiles([options], global, observers: global.messages.isVerbose ? [Self.headTeller] : [])
        let planner = try FetchPlanner(
            options: options, command: nil, isSilent: global.messages.isSilent, files.sessions)
        let targets = Array(options.targets.prefix(2))
        guard let target = targets.first, targets.count == 1 else {
            throw UsageError("\(options.urls.joined()) stands for several URLs: give one, or -g")
        }
        var request = try planner.plan(try target.get(), index: 0, behind: 0).request
        request.timeouts?.idle = nil
        let events = planner.session.events(
            for: request, reconnection: endsWithStream ? .never : nil,
            maximumEventSize: maximumEventSize?.bytes ?? Session.maximumEventSize, delegate: delegate(planner.session))
        let isJSON = isJSON
        let reader = EventReader { event in try StandardStreams.print(EventText.text(of: event, isJSON: isJSON)) }
        try await files.saved {
            try await reader.read(events, within: limit, tellsErrors: global.messages.tellsErrors)
        }
    }

    /// Tells of the responses whose events are read, with `-v`: their reader does not share them with a delegate.
    private static let headTeller = EventObserver { observation in
        guard case .response(let response, _) = observation.event else { return }
        let report = VerboseReport(configuration: .default)
        StandardStreams.tell(
            report.receiving(response, for: observation.task.originalRequest).joined(separator: "\n"))
    }

    /// Tells of everything else, with `-v`.
    private func delegate(_ session: Session) -> Transcript? {
        guard global.messages.isVerbose else { return nil }
        return Transcript(
            .elsewhere, verbose: VerboseReport(configuration: session.configuration),
            rules: ResponseRules(redirectSchemes: options.transfer.schemes.redirectSchemes), progress: nil)
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
