// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends the cookies of a storage along, and stores those that responses set, redirects and refusals included.
///
/// A request with a `Cookie` field of its own takes that along and no other, for as long as a redirect leaves it in.
struct Cookies: HopPolicy {
    let storage: HTTPCookieStorage
    let interests: HopInterests

    /// Nil for a session without a storage.
    init?(of configuration: SessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.storage = storage
        var interests: HopInterests = []
        if configuration.httpShouldSetCookies { interests.insert(.preparation) }
        if configuration.httpCookieAcceptPolicy != .never { interests.insert(.allHeads) }
        self.interests = interests
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        let hasField = hop.request.headers.contains("Cookie")
        if hop.number == 0, history.resendCount == 0 {
            history.cookies = !hop.request.httpShouldHandleCookies ? .unwanted : hasField ? .own : .stored
        }
        switch history.cookies {
        case .unwanted: return .ready
        case .own where hasField: return .ready
        case .own, .stored: break
        }
        if !hasField, storage.isEmpty { return .ready }
        guard let destination = try? hop.request.destination.get() else { return .ready }
        let field = storage.field(for: CookieOrigin(destination))
        if field == nil, !hasField { return .ready }
        var request = hop.request
        request.headers["Cookie"] = field
        return .change(request)
    }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {
        guard history.hop.request.httpShouldHandleCookies, head.contains("Set-Cookie"),
            let destination = try? history.hop.request.destination.get()
        else { return }
        storage.receive(head.values(for: "Set-Cookie"), from: CookieOrigin(destination))
    }
}
