// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension StreamTask {
    /// The same as with a completion handler: data, nil if there is none, and whether it is the last. Cancelling the
    /// waiting Swift task cancels the stream.
    public func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: Duration?
    ) async throws(SessionError) -> (Data?, Bool) {
        let result = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<ReadResult, Never>) in
                // Every read is answered once.
                read(minBytes, maxBytes, timeout) { unsafe continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancelOnceStarted()
        }
        return try result.get()
    }

    /// The same as with a completion handler. Cancelling the waiting Swift task cancels the stream.
    public func write(_ data: Data, timeout: Duration?) async throws(SessionError) {
        let error = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<SessionError?, Never>) in
                // Every write is answered once.
                send(data, timeout) { unsafe continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancelOnceStarted()
        }
        if let error { throw error }
    }
}
