// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Stands before the delegate of a session: the response is for a reader, everything else for the delegate, which is told the
/// end as well.
final class AnnouncedBodyStream: ContentReceiver, Sendable {
    private let stream: BodyStream
    private let delegate: any SessionTaskDelegate

    init(_ stream: BodyStream, _ delegate: any SessionTaskDelegate) {
        (self.stream, self.delegate) = (stream, delegate)
    }

    var answersServerTrustChallenges: Bool { delegate.answersServerTrustChallenges }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .response, .trailers, .discardedTrailers: stream.handle(event, of: task)
        case .completed:
            stream.handle(event, of: task)
            delegate.handle(event, of: task)
        default: delegate.handle(event, of: task)
        }
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { unsafe stream.room(for: count) }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { stream.task(task, didReceive: bytes) }
}
