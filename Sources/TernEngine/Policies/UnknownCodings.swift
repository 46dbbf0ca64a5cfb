// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends content again without its coding when the server responds with 415 and names the codings that it knows, which that
/// one is not (RFC 9110 §15.5.16, RFC 7694 §3). A 415 without `Accept-Encoding` is about something else.
struct UnknownCodings: HopPolicy {
    let interests = HopInterests.unsuccessfulHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard head.status == 415, history.request.isCompressed, history.request.isReplayable,
            let compression = history.request.compression, head.contains("Accept-Encoding"),
            !Self.accepts(compression.coding, head)
        else { return .pass }
        var request = history.request
        request.compression = nil
        return .resend(request)
    }

    /// Whether the coding is in the list, by its name or by a `*`, with a weight above 0 (RFC 9110 §12.5.3).
    private static func accepts(_ coding: ContentCoding, _ head: ResponseHead) -> Bool {
        var (named, others) = (Bool?.none, Bool?.none)
        let isWhole = head.readList("Accept-Encoding", .tokens) { element in
            let text = element.lowercasedName
            let parts = text.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let isWanted = !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            switch parts.first {
            case coding.rawValue, "x-\(coding.rawValue)": named = isWanted
            case "*": others = isWanted
            default: break
            }
        }
        // A list that is too long is not trusted.
        return named ?? others ?? !isWhole
    }
}
