// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What all exchanges of a session have in common.
final class ExchangeSettings: Sendable {
    let limits: Limits
    let leniency: Leniency
    let maximumIdleTime: Duration
    /// Added to every request that has no field of that name.
    let fields: HTTPFields
    /// The same for requests that may carry no credentials.
    let harmlessFields: HTTPFields

    init(_ configuration: SessionConfiguration) {
        limits = configuration.limits
        leniency = configuration.leniency
        maximumIdleTime = configuration.maximumIdleTime
        fields = configuration.httpAdditionalHeaders
        let sensitive = configuration.sensitiveFields
        harmlessFields = HTTPFields(fields.filter { !sensitive.contains($0.name) })
    }

    /// An exchange on a connection that has had none.
    var newExchange: Exchange { Exchange(limits: limits, leniency: leniency) }
}
