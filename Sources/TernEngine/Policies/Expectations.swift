// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends a request again without `Expect` when the server responds with 417, which it does before any content was sent
/// (RFC 9110 §15.5.18).
struct Expectations: HopPolicy {
    let interests = HopInterests.unsuccessfulHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard head.status == 417, history.request.headers["Expect"] != nil, history.request.isReplayable else {
            return .pass
        }
        var request = history.request
        request.headers["Expect"] = nil
        return .resend(request)
    }
}
