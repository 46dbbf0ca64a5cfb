// SPDX-License-Identifier: Apache-2.0

/// Adds the session's fields to each hop before the other policies prepare it: they see, sign and record what is sent.
///
/// In a session without such policies the encoder adds the same fields, at no cost for a request.
struct DefaultHeaders: HopPolicy {
    let fields: HopFields
    let interests = HopInterests.preparation

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let headers = hop.request.headers.completed(by: fields.fields(for: hop).fields) else { return .ready }
        var request = hop.request
        request.headers = headers
        return .change(request)
    }
}
