// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Hostile servers beside healthy ones: `TernSoak [--seconds N] [--seed N] [--only NAME] [--json] …`.
///
/// Ends with 1 if anything was found, and with 2 if it could not run.
@main
struct TernSoak {
    static func main() {
        // A pipe whose reader has gone is an error like any other.
        signal(SIGPIPE, SIG_IGN)
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            switch options.part {
            case .all: exit(try Soak(options).run() ? 0 : 1)
            case .scenario: try Scenario(order(options)).run()
            case .storm: try Child.tell(Storm(order: order(options)).run())
            }
        } catch {
            Findings.tell("\(error)")
            exit(2)
        }
    }

    private static func order<Order: Decodable>(_ options: Options) throws -> Order {
        try JSONDecoder().decode(Order.self, from: Data(options.order.utf8))
    }
}
