// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TernTLS

/// A trust profile, as one names it on the command line and in a batch.
enum ProfileName: String, CaseIterable, ExpressibleByArgument {
    case standard
    case web

    var profile: TrustProfile {
        switch self {
        case .standard: .standard
        case .web: .web
        }
    }
}
