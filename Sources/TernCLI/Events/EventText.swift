// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine

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
