// SPDX-License-Identifier: Apache-2.0
import TernLock

/// A task for a response, with the content of its request.
open class SessionDataTask: SessionTask, @unchecked Sendable {
    override func download(of response: HTTPURLResponse) -> SessionTask? {
        let shard = lifecycle.withLock { $0.isRunning ? $0.shard : nil }
        guard let shard, let delegate = delegate as? any SessionDownloadDelegate else { return nil }
        let driver = DownloadDriver(DownloadDestination(temporaryIn: nil), nil, delegate)
        let download = SessionDownloadTask(
            driver, originalRequest, defaults: defaults, at: TaskPlace(shard: shard, table: table))
        driver.expect(response, for: download)
        handOver(to: download)
        delegate.handle(.replaced(self), of: download)
        // This task may have been cancelled before it was over. The end follows the beginning.
        if isCancelled { download.cancel() }
        return download
    }
}
