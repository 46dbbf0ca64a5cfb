// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernHTTP1
import TernIO
import Testing

@testable import TernCLI
@testable import TernEngine

/// The waterfall of fixed events.
@Suite struct WaterfallChartTests {
    /// A task that does nothing: the events are given.
    private final class FixedTask: ObservedTask {
        let taskIdentifier = 1
        let originalRequest: URLRequest
        var taskDescription: String? { nil }
        var currentRequest: URLRequest? { nil }
        var response: HTTPURLResponse? { nil }
        var metrics: TaskMetrics? { nil }

        init(_ request: URLRequest) { originalRequest = request }

        func redactedURL(of request: URLRequest) -> String { "" }

        func cancel() {}
    }

    private func time(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private func attempt(
        _ request: URLRequest, _ start: Int64, _ end: Int64, _ reason: SessionError.Reason
    ) -> AttemptMetrics {
        var metrics = AttemptMetrics(request: request, start: time(start))
        metrics.failed(reason, at: time(end))
        return metrics
    }

    /// A connection that is refused, a delay, a lookup that takes too long, and an answer of what stands in for the
    /// network.
    private func record() throws -> TaskRecord {
        let url = try #require(URL(string: "http://me:secret@a.example/<x>?access_token=secret&b=1"))
        let request = URLRequest(url: url)
        let refused = FailedConnectionMetrics(
            remoteAddress: nil, phase: .connect, start: time(0), resolved: time(10), connected: nil)
        let unresolved = FailedConnectionMetrics(
            remoteAddress: nil, phase: .resolve, start: time(52), resolved: nil, connected: nil)
        let response = try HTTPURLResponse(
            url: url, statusCode: 200, headers: ["Server-Timing": "db;dur=1.5;desc=\"a & b\", edge"])
        let events: [(Int64, Int, Int, TaskEvent)] = [
            (0, 0, 0, .started), (0, 0, 0, .hopBegan(request, redirectCount: 0)),
            (0, 0, 1, .attemptBegan(isHedge: false)), (30, 0, 1, .connectionFailed(refused)),
            (30, 0, 1, .attemptOver(attempt(request, 0, 30, .timedOut(.connect)))),
            (50, 0, 1, .waited(for: .delay, since: time(30))), (50, 0, 2, .attemptBegan(isHedge: true)),
            (60, 0, 2, .connectionFailed(unresolved)),
            (60, 0, 2, .attemptOver(attempt(request, 50, 60, .timedOut(.total)))), (60, 0, 2, .hopOver(nil)),
            (60, 1, 2, .hopBegan(request, redirectCount: 1)), (90, 1, 2, .head(response)), (100, 1, 2, .hopOver(nil)),
            (100, 1, 2, .completed(nil)),
        ]
        var record = TaskRecord()
        for (moment, hop, attempt, event) in events {
            record.fold(
                TaskObservation(
                    event, of: FixedTask(request), at: time(moment), hop: hop, attempt: attempt, isOwn: false))
        }
        return record
    }

    @Test func `a terminal shows a bar for each phase and each wait`() throws {
        let text = WaterfallChart(try record()).text(width: 78)
        #expect(
            text == """
                200 in 100.00 ms: GET http://a.example/%3Cx%3E?access_token=redacted&b=1
                attempt 1: timed-out: GET http://a.example/%3Cx%3E?access_token=redacted&b=1
                  dns         #####                                                   10.00 ms
                  connect          ##########                                         20.00 ms
                  delay                      ##########                               20.00 ms
                attempt 2, hedge: timed-out: GET http://a.example/%3Cx%3E?access_token=reda...
                  blocked                              #                               2.00 ms
                  dns                                   ####                           8.00 ms
                no attempt: 200, not from the network: GET http://a.example/%3Cx%3E?access_...
                  wait                                      ###############           30.00 ms
                  receive                                                  #####      10.00 ms
                  server: db 1.5 ms (a & b)
                  server: edge
                """)
        #expect(!text.contains("secret"))
    }

    @Test(arguments: [0, 50, 51, 120])
    func `no line is wider than the terminal`(width: Int) throws {
        let lines = WaterfallChart(try record()).text(width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= max(50, width) })
    }

    @Test func `a picture is XML without secrets, and has all of a long text`() throws {
        let chart = WaterfallChart(try record())
        let svg = WaterfallChart.svg([chart, chart])
        let parser = XMLTags()
        #expect(parser.read(svg), "\(svg)")
        #expect(svg.contains("server: db 1.5 ms (a &amp; b)") && !svg.contains("secret"))
        #expect(svg.components(separatedBy: "class=\"track\"").count == 1 + 2 * 7)
        #expect(!svg.contains("href") && !svg.contains("<script"))

        let path = String(repeating: "0123456789", count: 40)
        var record = TaskRecord()
        let request = URLRequest(url: try #require(URL(string: "http://a.example/\(path)")))
        let task = FixedTask(request)
        for event in [TaskEvent.started, .hopBegan(request, redirectCount: 0), .completed(nil)] {
            record.fold(TaskObservation(event, of: task, at: time(0), hop: 0, attempt: 0, isOwn: false))
        }
        let texts = WaterfallChart.svg([WaterfallChart(record)]).matches(of: />([^<>]+)<\/text>/).map { String($0.1) }
        #expect(texts.joined() == "over in 0.00 ms: GET http://a.example/\(path)")
        #expect(texts.allSatisfy { $0.count <= 125 })
    }

    /// Whether each tag of a text is closed, and nothing else looks like one.
    private struct XMLTags {
        func read(_ text: String) -> Bool {
            var open: [Substring] = []
            for match in text.matches(of: /<(\/?)([a-z]+)([^<>]*?)(\/?)>/) {
                if !match.1.isEmpty {
                    guard open.popLast() == match.2 else { return false }
                } else if match.4.isEmpty {
                    open.append(match.2)
                }
            }
            return open.isEmpty && text.replacing(/<[^<>]*>/, with: "").firstMatch(of: /[<>]|&(?!amp;|lt;|gt;)/) == nil
        }
    }
}
