// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Adds stored cookies to each hop, and stores those of every response, redirects and refusals included.
///
/// A `Cookie` field of the request's own is sent behind them in the same field (RFC 6265 §5.4), for as long as a redirect
/// leaves it in. As curl does it, cookies of the same name are both sent.
struct Cookies: HopPolicy {
    let use: CookieUse
    let interests: HopInterests

    /// Nil for a session that neither sends nor stores cookies.
    init?(of configuration: SessionConfiguration) {
        use = CookieUse(of: configuration)
        var interests: HopInterests = []
        if use.sends {
            // A field of the session joins the stored ones.
            interests.insert(configuration.httpAdditionalHeaders.contains("Cookie") ? .preparation : .addition)
        }
        if use.stores { interests.insert(.allHeads) }
        if interests.isEmpty { return nil }
        self.interests = interests
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let stored = use.storage(forSending: hop.request)?.field(for: hop.request) else { return .ready }
        let all = [stored] + (hop.request.headers.cookie.map { $0.isEmpty ? [] : [$0] } ?? [])
        var request = hop.request
        request.headers.replace(
            with: HeaderField(name: "Cookie", bytes: Array(all.joined(separator: [0x3B, 0x20]))))
        return .change(request)
    }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {
        guard head.contains("Set-Cookie"), let storage = use.storage(forResponsesTo: history.hop.request),
            let origin = CookieOrigin(history.hop.request)
        else { return }
        storage.receive(head.bytes(for: "Set-Cookie"), from: origin)
    }
}

extension HeaderFields {
    /// The bytes of the `Cookie` fields as one; nil without one.
    fileprivate var cookie: [UInt8]? {
        guard contains("Cookie") else { return nil }
        let fields = filter { $0.name.utf8.count == 6 && $0.name.lowercased() == "cookie" }
        return Array(fields.map(\.bytes).joined(separator: [0x3B, 0x20]))
    }
}
