// SPDX-License-Identifier: Apache-2.0

/// Adds the session's fields to each hop before the other policies prepare it: they see, sign and record what is sent.
///
/// In a session without such policies the encoder adds the same fields, at no cost for a request.
final class DefaultHeaders: HopPolicy {
    private let fields: HopFields
    let interests = HopInterests.preparation

    init(_ fields: HopFields) { self.fields = fields }

    /// A request with the fields.
    private final class Completed: Sendable {
        let request: URLRequest

        init(_ request: URLRequest) { self.request = request }
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        // Content is not kept alive.
        guard hop.mayCarryCredentials, hop.request.body == nil else {
            return complete(hop).map { .change($0) } ?? .ready
        }
        let completed = hop.request.made(by: self) { complete(hop).map(Completed.init) }
        return completed.map { .change($0.request) } ?? .ready
    }

    private func complete(_ hop: Hop) -> URLRequest? {
        guard let headers = hop.request.headers.completed(by: fields.fields(for: hop).fields) else { return nil }
        var request = hop.request
        request.headers = headers
        return request
    }
}
