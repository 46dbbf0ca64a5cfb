// SPDX-License-Identifier: Apache-2.0
// Safety: ioctl(2) writes to a value that outlives the call.
import FoundationEssentials
import TernLibC
import TernEngine
import TernLock

/// Records the requests of a run, and writes what the options ask for.
final class RunRecorder: Sendable {
    private let options: RecordOptions
    private let archive: HARRecorder?
    private let timelines: TimelineRecorder?

    var observers: [any SessionObserver] {
        (archive.map { [$0] } ?? []) + (timelines.map { [$0] } ?? [])
    }

    /// Fails if a file cannot be written.
    init(_ options: RecordOptions) throws {
        self.options = options
        archive = options.har.map { _ in HARRecorder(creator: "tern", version: Version.current) }
        timelines = options.showsTimeline || options.timelineFile != nil ? TimelineRecorder() : nil
        for (option, path) in [("--har", options.har), ("--timeline-svg", options.timelineFile)] {
            if let path { try Self.reporting(option) { _ = try BodySink(path: path) } }
        }
    }

    /// All is done.
    func write() throws {
        if let archive, let path = options.har { try Self.write(archive.json(), to: path, "--har") }
        guard let timelines else { return }
        let charts = timelines.charts
        if options.showsTimeline {
            for chart in charts { StandardStreams.tell(chart.text(width: Self.width)) }
        }
        if let path = options.timelineFile {
            try Self.write(Array(WaterfallChart.svg(charts).utf8), to: path, "--timeline-svg")
        }
    }

    private static func write(_ bytes: [UInt8], to path: String, _ option: String) throws {
        try reporting(option) {
            let sink = try BodySink(path: path)
            let temporary = try sink.open()
            do {
                try sink.write(Data(bytes))
                try sink.finish()
            } catch {
                temporary?.remove()
                throw error
            }
        }
    }

    private static func reporting(_ option: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as OutputError {
            throw CommandFailure(.unwritable, "\(option): \(error)")
        }
    }

    /// That of the terminal on standard error; 80 columns elsewhere.
    private static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

/// Draws the tasks of a run when they end.
private final class TimelineRecorder: SessionObserver {
    /// More push out the oldest.
    private static let maximumCount = 1_000

    private let drawn = Lock<[WaterfallChart]>([])

    /// In the order in which the tasks ended.
    var charts: [WaterfallChart] { drawn.withLock { $0 } }

    func created(_ task: any ObservedTask) -> (any Sendable)? { TaskRecording() }

    func observe(_ observation: TaskObservation) {
        guard let record = (observation.context as? TaskRecording)?.add(observation) else { return }
        let chart = WaterfallChart(record)
        drawn.withLock { charts in
            if charts.count == Self.maximumCount { charts.removeFirst() }
            charts.append(chart)
        }
    }
}
