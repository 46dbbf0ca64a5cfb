// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Receives what happens to a task, in this order, on the reactor's thread: take what you need and return.
///
/// `didCompleteWith` is called exactly once and last, whatever happened; then the task lets go of its delegate. All methods
/// but that one have a default that does nothing.
public protocol SessionTaskDelegate: AnyObject, Sendable {
    /// The request is about to be sent on this connection. Called again if it is sent again on another.
    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics)
    /// More of the request's content was handed to the kernel: so many bytes since the last call and in all, of
    /// `totalBytesExpectedToSend`, which is -1 where nobody knows. Begins again at 0 when the request is sent again.
    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64)
    /// A 1xx response other than 101; there may be several (RFC 9110 §15.2).
    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse)
    /// The head of the final response.
    func task(_ task: SessionTask, didReceive response: HTTPURLResponse)
    /// The next bytes of the body, lent for the length of the call.
    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>)
    /// The trailer fields after a chunked body, if there were any.
    func task(_ task: SessionTask, didReceiveTrailers trailers: HTTPFields)
    /// The fields that came among the trailers and may not (RFC 9110 §6.5.1), such as `Set-Cookie` or `Content-Length`, if
    /// there were any. The response is complete without them, and nothing obeys them.
    func task(_ task: SessionTask, didDiscardTrailers discarded: HTTPFields)
    /// The end: nil when the response is complete. `task.metrics` is final.
    func task(_ task: SessionTask, didCompleteWith error: EngineError?)
}

extension SessionTaskDelegate {
    /// Does nothing.
    public func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {}
    /// Does nothing.
    public func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {}
    /// Lets the bytes go.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceiveTrailers trailers: HTTPFields) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didDiscardTrailers discarded: HTTPFields) {}
}
