// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The way to a server: through which proxies, to which addresses, and from where.
struct RouteOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .group(\.proxy, "Proxies"),
            .group(\.names, "Names and connections"),
            .group(\.connection, "Names and connections"))
    }

    var proxy = ProxyOptions()
    var names = NameOptions()
    var connection = ConnectionOptions()

    func apply(to configuration: inout SessionConfiguration) throws {
        try proxy.apply(to: &configuration)
        names.apply(to: &configuration)
        connection.apply(to: &configuration)
    }
}
