// SPDX-License-Identifier: Apache-2.0
import TernTesting

extension ScriptedOrigin {
    /// An origin that answers `/302?location` with a 302 that leads to `location`, and everything else with what was
    /// asked.
    static func redirecting(
        _ configuration: Configuration = Configuration(), tls identity: Identity? = nil
    ) throws -> ScriptedOrigin {
        try ScriptedOrigin(configuration, tls: identity) { _, request in
            guard let (status, location) = request.redirection else { return [.ok(request.summary)] }
            return [.redirect(status, to: location)]
        }
    }
}

extension ScriptedOrigin.Step {
    /// A redirect, with a short body.
    static func redirect(
        _ status: Int = 302, to location: String, fields: [(name: String, value: String)] = [], body: String = "moved"
    ) -> Self {
        respond(status: status, fields: [("Location", location)] + fields, body: body)
    }
}

extension ReceivedRequest {
    /// Of `/302?location`.
    var redirection: (status: Int, location: String)? {
        let parts = target.split(separator: "?", maxSplits: 1)
        guard parts.count == 2, let status = Int(parts[0].dropFirst()) else { return nil }
        // For an IPv6 address, which is not valid in a query unescaped.
        return (status, String(parts[1]).replacing("%5B", with: "[").replacing("%5D", with: "]"))
    }

    /// Such as `PUT /path 11`, with the length of the body.
    var summary: String { "\(method) \(target) \(body.count)" }
}
