// SPDX-License-Identifier: Apache-2.0
import TernTesting

extension ScriptedOrigin {
    /// Waits until all buffers on the way to a reader are full: no byte has been sent for 300 ms. Returns how many were.
    @discardableResult
    func bytesSentOnceStalled() async -> Int {
        while true {
            let sent = observations.bytesSent
            if await !waitFor(.milliseconds(300), { $0.bytesSent > sent }) { return sent }
        }
    }
}
