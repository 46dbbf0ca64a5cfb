// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// Sends a request that asks for another protocol in its `Upgrade` field, and returns the connection as a stream of
    /// bytes when the server agrees (101, RFC 9110 §7.8); the bytes after its response are read first. `Connection:
    /// Upgrade` is added.
    ///
    /// Throws `upgradeRefused` for any other final status, whose body is not read. The stream is the caller's:
    /// releasing it closes the connection, and no limit on connections counts it any more.
    ///
    /// `delegate` is as for `data(for:delegate:)`.
    public func upgrade(
        for request: URLRequest, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (StreamTask, HTTPURLResponse) {
        var request = request
        request.addConnectionUpgrade()
        let waiter = UpgradeWaiter()
        let task = reading(waiter, beside: delegate) { dataTask(with: request, delegate: $0) }
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in unsafe waiter.start(task, continuation) }
        } onCancel: {
            task.cancelOnceStarted()
        }
        return try waiter.outcome(of: task)
    }
}
