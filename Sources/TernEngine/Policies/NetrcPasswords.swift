// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Sends the password of a netrc file with each hop to one of its hosts, without waiting for a challenge, as curl does it:
/// where nothing else authenticates the hop, and Basic alone may send the password. ``Authentication`` answers
/// challenges with the passwords of other schemes.
struct NetrcPasswords: HopPolicy {
    let netrc: Netrc
    let interests = HopInterests.preparation

    /// Nil for a session without such a file.
    init?(of configuration: SessionConfiguration) {
        guard let netrc = configuration.netrc, netrc.schemes == .basic else { return nil }
        self.netrc = netrc
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard !hop.request.headers.contains("Authorization"), let credential = netrc.credential(for: hop),
            let authorization = BasicScheme.authorization(credential)
        else { return .ready }
        var request = hop.request
        request.headers.append("Authorization", authorization)
        return .change(request)
    }
}
