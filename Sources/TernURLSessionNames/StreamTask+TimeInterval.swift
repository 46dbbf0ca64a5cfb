// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension StreamTask {
    /// The timeout in seconds, as in URLSession; 0 sets no limit.
    public func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval,
        completionHandler: @escaping ReadCompletion
    ) {
        readData(
            ofMinLength: minBytes, maxLength: maxBytes, timeout: Duration(timeout: timeout),
            completionHandler: completionHandler)
    }

    /// The timeout in seconds, as in URLSession; 0 sets no limit.
    public func write(_ data: Data, timeout: TimeInterval, completionHandler: @escaping WriteCompletion) {
        write(data, timeout: Duration(timeout: timeout), completionHandler: completionHandler)
    }

    /// The timeout in seconds, as in URLSession; 0 sets no limit.
    public func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval
    ) async throws(SessionError) -> (Data?, Bool) {
        try await readData(ofMinLength: minBytes, maxLength: maxBytes, timeout: Duration(timeout: timeout))
    }

    /// The timeout in seconds, as in URLSession; 0 sets no limit.
    public func write(_ data: Data, timeout: TimeInterval) async throws(SessionError) {
        try await write(data, timeout: Duration(timeout: timeout))
    }
}

extension Duration {
    /// Nil for no limit.
    fileprivate init?(timeout: TimeInterval) {
        guard timeout > 0, timeout < 9e9 else { return nil }
        self = .seconds(timeout)
    }
}
