// SPDX-License-Identifier: Apache-2.0
import TernLock

@testable import TernEngine

/// A delegate that records the calls of an upload, and lets a test wait for the end.
final class UploadRecorder: SessionTaskDelegate, Sendable {
    struct Step: Equatable {
        var sent: Int64
        var total: Int64
        var expected: Int64
    }

    /// For each time the request was sent.
    private let sendings = Lock<[[Step]]>([])
    private let recording: RecordingDelegate

    init(onEvent: (@Sendable (SessionTask, RecordingDelegate.Event) -> Void)? = nil) {
        recording = RecordingDelegate(onEvent: onEvent)
    }

    var steps: [[Step]] { sendings.withLock { $0 } }

    func end() async -> RecordingDelegate.Record { await recording.end() }

    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) { sendings.withLock { $0.append([]) } }

    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        let step = Step(sent: bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend)
        sendings.withLock { $0[$0.count - 1].append(step) }
    }

    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {
        recording.task(task, didReceiveInformational: response)
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { recording.task(task, didReceive: response) }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { recording.task(task, didReceive: bytes) }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        recording.task(task, didCompleteWith: error)
    }
}
