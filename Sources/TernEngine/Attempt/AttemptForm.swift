// SPDX-License-Identifier: Apache-2.0

/// A hop in the form in which one attempt sends it: with its content in a coding, with what must differ from attempt to
/// attempt, and as the route needs it. An object, so that an attempt that sends the hop as it is stays small.
///
/// It is made for each attempt from the hop's request, which keeps what the program and the policies have decided.
final class AttemptForm: Sendable {
    let hop: Hop
    /// What is for the proxy that gets the hop whole; nil if none does.
    let proxyPart: ProxyRule.Part?
    /// Why it cannot be signed; then it is not sent.
    let failure: AuthenticationError?

    /// - Parameters:
    ///   - hop: the hop as it is planned.
    ///   - proxyPart: what the proxy of the route needs.
    ///   - signers: called in their order; the last one sees what the others have added.
    init(_ hop: Hop, _ proxyPart: ProxyRule.Part? = nil, signers: [any RequestSigner]) {
        var hop = hop
        if proxyPart?.isProbe == true { hop.request.removeContent() }
        if hop.request.isCompressed { hop.request.encodeContent() }
        var failure: AuthenticationError?
        do {
            for signer in signers { try signer.sign(&hop.request) }
        } catch {
            failure = .unsigned(error)
        }
        self.failure = failure
        if let proxyPart {
            hop.request = hop.request.inAbsoluteForm()
            if let field = proxyPart.field { hop.request.headers.append(field) }
        }
        (self.hop, self.proxyPart) = (hop, proxyPart)
    }
}
