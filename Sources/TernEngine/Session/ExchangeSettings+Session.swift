// SPDX-License-Identifier: Apache-2.0

extension ExchangeSettings {
    convenience init(_ configuration: SessionConfiguration, watcher: (any ConnectionWatcher)? = nil) {
        self.init(
            limits: configuration.limits, leniency: configuration.leniency,
            maximumIdleTime: configuration.maximumIdleTime, maximumAge: configuration.maximumConnectionAge,
            maximumUses: configuration.maximumRequestsPerConnection ?? .max,
            reportsLoad: configuration.httpMinimumConnectionsPerHost != nil, watcher: watcher,
            fields: configuration.hopFields)
    }
}

extension URLRequest {
    /// The head that a session with this configuration sends, byte for byte; for a file, as if its length were unknown.
    package func encodedHead(_ configuration: SessionConfiguration) throws(InvalidRequest) -> [UInt8] {
        try encodedHead(ExchangeSettings(configuration))
    }
}
