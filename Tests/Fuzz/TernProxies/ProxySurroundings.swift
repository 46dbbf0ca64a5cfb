// SPDX-License-Identifier: Apache-2.0
// What a proxy's description needs of other folders. The targets name no proxy by a text, and resolve nothing.

struct Destination {
    let origin: HTTPOrigin

    init(absoluteString: String) throws(AbsoluteURI.Refusal) { origin = try AbsoluteURI(absoluteString).origin }
}

struct IPAddress: Equatable {
    let bytes: [UInt8]
}

enum AddressFamily { case any, ipv4, ipv6 }
