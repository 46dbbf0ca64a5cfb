// SPDX-License-Identifier: Apache-2.0
import TernTLS

extension PinSet {
    /// Reads an element of `pinSets`.
    init(_ element: JSONElement) throws(PolicyFileError) {
        var fields = try JSONFields(element)
        let hosts = try fields.require("hosts")
        self.init(hosts: try hosts.hostPatterns(), pins: [])
        guard !self.hosts.isEmpty else { throw hosts.error(.empty) }
        try readRule(from: &fields)
        try fields.finish()
    }

    /// Reads everything but the hosts.
    mutating func readRule(from fields: inout JSONFields) throws(PolicyFileError) {
        excludedHosts = try fields.take("excludedHosts")?.hostPatterns() ?? []
        let pins = try fields.require("pins")
        self.pins = try pins.publicKeys()
        guard !self.pins.isEmpty else { throw pins.error(.empty) }
        backupPins = try fields.take("backupPins")?.publicKeys() ?? []
        scope = try fields.take("scope")?.word() ?? .anyCertificate
        mode = try fields.take("mode")?.word() ?? .enforce
        expires = try fields.take("expires")?.time()
        reportURLs = try fields.take("reportURLs")?.webURLs() ?? []
    }
}
