// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// What all requests of a session manager share, and may outlive it with.
final class RequestContext: Sendable {
    let callbacks: CallbackQueue
    /// Added to every request that has no such field.
    let defaultHeaders: HTTPFields
    let sensitiveFields: SensitiveFields
    /// The most of a body to collect, in bytes.
    let bodyLimit: Int

    init(callbacks: CallbackQueue, configuration: SessionConfiguration) {
        self.callbacks = callbacks
        defaultHeaders = configuration.httpAdditionalHeaders
        sensitiveFields = configuration.sensitiveFields
        bodyLimit = configuration.maximumCollectedBodySize
    }
}
