// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import TernEngine

/// `tern events`: follows a stream of server-sent events.
struct EventsCommand: AsyncParsableCommand, EndsLikeCurl {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Follow a stream of server-sent events.",
        discussion: """
            Prints each event as its fields and an empty line, or as one line of JSON, with control characters \
            escaped. A stream that ends or is interrupted is resumed after the time that the server sets, or 3 s; but \
            not if the first request fails, or the response is not a stream of events. Ends at a 204 and by Ctrl-C; \
            exit codes are curl's, as "tern request --help" lists them.
            """)

    @Argument(help: ArgumentHelp("An http or https URL.", valueName: "url")) var url: String

    @Flag(name: .customLong("json"), help: "Print one JSON object on each line: data, event, id.") var isJSON = false

    @Flag(name: .customLong("no-reconnect"), help: "End when the stream ends.") var endsWithStream = false

    @Option(
        name: .customLong("max-event-size"),
        help: ArgumentHelp(
            "The maximum size of an event, 1M by default; K, M and G are powers of 1024.", valueName: "bytes"))
    var maximumEventSize: ByteCount?

    @Option(
        name: .customLong("connect-timeout"),
        help: ArgumentHelp("The maximum time to connect, in seconds.", valueName: "seconds"))
    var connectTimeout: Double?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")],
        help: ArgumentHelp("The maximum time in all, in seconds; then it fails.", valueName: "seconds"))
    var maximumTime: Double?

    @Flag(name: [.customShort("L"), .customLong("location")], help: "Follow redirects, but not from https to http.")
    var isFollowing = false

    @OptionGroup(title: "Header fields") var fields: FieldOptions
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Accepted, without effect") var accepted: AcceptedOptions

    func validate() throws {
        try InputFile.checkStandardInput(fields.inputs)
        if !fields.sensitiveFields.isEmpty, !isFollowing {
            throw ValidationError("--sensitive keeps a field from other origins, and needs -L")
        }
        for (limit, name) in [(connectTimeout, "--connect-timeout"), (maximumTime, "--max-time")] {
            if let limit { _ = try TransferOptions.duration(limit, name) }
        }
    }

    func run() async throws {
        let target = try RequestedURL(argument: url)
        if !isFollowing { try trust.check(target) }
        var configuration = try RequestBuilder.configuration(fields, trust, nil)
        configuration.redirectPolicy = isFollowing ? .follow() : .never
        if let connectTimeout { configuration.timeouts.connect = .seconds(connectTimeout) }
        var builder = try RequestBuilder(fields, trust, configuration: configuration)
        let request = try builder.request(for: target)
        let events = try builder.session().events(
            for: request, reconnection: endsWithStream ? .never : nil,
            maximumEventSize: maximumEventSize?.bytes ?? Session.maximumEventSize)
        let isJSON = isJSON
        let reader = EventReader { event in try StandardStreams.print(EventText.text(of: event, isJSON: isJSON)) }
        try await reader.read(events, within: maximumTime.map { .seconds($0) })
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
