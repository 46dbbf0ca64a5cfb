// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernLock

/// Records the events of one download, and shows its progress.
final class DownloadTranscript: SessionDownloadDelegate {
    struct Outcome: Sendable {
        var response: HTTPURLResponse?
        /// The target, if it was known.
        var target: URL?
        var error: (any Error)?
        var length: Int64 = 0
        /// The offset at which it resumed.
        var offset: Int64 = 0
        var seconds = 0.0

        /// The response, if it was refused for its status.
        var refusedResponse: HTTPURLResponse? {
            if case .download(.unsuccessful(let response))? = (error as? SessionError)?.reason { response } else { nil }
        }

        /// The resume data; nil if it cannot be resumed.
        var keptLength: Int64? {
            (error as? SessionError)?.resumeData.flatMap { try? ResumeData($0).countOfBytesReceived }
        }

        /// The announced length of the whole file; nil if it was not announced.
        func expectedLength(answering request: URLRequest) -> Int? {
            response?.bodyLength(answering: request).map { $0 &+ Int(clamping: offset) }
        }

        var summary: String {
            let name = target.map { $0.relativePath } ?? ""
            let start = offset > 0 ? ", from byte \(offset) on" : ""
            return "\(name): \(ProgressLine.amount(length, since: offset, seconds: seconds))\(start)"
        }
    }

    /// `-r`: the server sent something other than the part.
    struct NoPart: ReportedFailure, CustomStringConvertible {
        let status: Int

        var exitStatus: ExitStatus { .noSuchRange }

        var description: String {
            let answer = status == 200 ? "sent the whole" : "answered \(status)"
            return "the server \(answer), and not the part that -r requests"
        }
    }

    private struct State {
        var outcome = Outcome()
        var completion: CheckedContinuation<Void, Never>?
    }

    private let asksForPart: Bool
    private let rules: ResponseRules
    private let progress: DownloadProgress?
    private let state = Lock(State())

    init(range: Bool, rules: ResponseRules, progress: DownloadProgress?) {
        asksForPart = range
        self.rules = rules
        self.progress = progress
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    func choose(_ target: URL) { state.withLock { $0.outcome.target = target } }

    /// Runs `task` to its end.
    func record(_ task: SessionDownloadTask) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.completion = continuation }
            task.resume()
        }
        progress?.finish()
    }

    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, _ question: DelegateQuestion<RedirectAnswer>
    ) {
        if let refusal = rules.refusal(ofRedirectTo: request.url?.scheme) {
            state.withLock { $0.outcome.error = refusal }
            task.cancel()
        }
        question.answer(.follow(request))
    }

    func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
    ) {
        state.withLock { $0.outcome.response = response }
        if asksForPart, response.statusCode != 206 {
            return refuse(NoPart(status: response.statusCode), question)
        }
        progress?.start(length: response.bodyLength(answering: task.originalRequest))
        question.answer(.allow)
    }

    private func refuse(_ error: any Error, _ question: DelegateQuestion<ResponseAnswer>) {
        state.withLock { $0.outcome.error = error }
        question.answer(.cancel)
    }

    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64) {
        state.withLock { $0.outcome.offset = fileOffset }
        progress?.start(length: expectedTotalBytes < 0 ? nil : Int(expectedTotalBytes), from: Int(fileOffset))
    }

    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        progress?.advance(to: Int(totalBytesWritten))
        state.withLock { $0.outcome.length = totalBytesWritten }
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let completion = state.withLock { state in
            if state.outcome.error == nil { state.outcome.error = Self.told(error) }
            if let metrics = task.metrics, let end = metrics.end {
                state.outcome.seconds = end.seconds(since: metrics.start)
            }
            return state.completion.take()
        }
        completion?.resume()
    }

    /// In terms of the options.
    private static func told(_ error: SessionError?) -> (any Error)? {
        guard case .download(.tooLong(let limit))? = error?.reason else { return error }
        return RefusedResponse.tooLarge(limit: Int(clamping: limit))
    }
}

/// Shows the progress of a download: a bar on a terminal, and otherwise a line for each tenth, so that a log stays
/// short.
final class DownloadProgress: Sendable {
    private struct Tenths {
        var length: Int?
        var told = 0

        /// Whether another tenth is complete.
        mutating func advance(to received: Int) -> Int? {
            guard let length, length > 0 else { return nil }
            let tenths = Int(min(10, 10 * Double(received) / Double(length)))
            // The last tenth is reported with the file.
            guard tenths > told, tenths < 10 else { return nil }
            told = tenths
            return tenths
        }
    }

    private let display = ProgressDisplay()
    private let tenths = Lock(Tenths())

    /// - Parameters:
    ///   - length: the length of the whole; nil if it is unknown.
    ///   - offset: the offset at which the download begins.
    func start(length: Int?, from offset: Int = 0) {
        if let display { return display.start(length: length, from: offset) }
        tenths.withLock { tenths in
            tenths.length = length
            _ = tenths.advance(to: offset)
        }
    }

    func advance(to received: Int) {
        if let display { return display.advance(to: received) }
        let (told, length) = tenths.withLock { ($0.advance(to: received), $0.length) }
        if let told, let length { StandardStreams.tell("\(told)0 % of \(ProgressLine.size(Double(length)))") }
    }

    func finish() { display?.finish() }
}
