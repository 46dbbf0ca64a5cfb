// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// The paths of a request through the client that have a threshold each: one connection, one request after the other.
enum Path: String, CaseIterable {
    case references
    case message
    case delegate
    case reactor = "await-reactor"
    case url = "await-url"
    case plain = "await-plain"
    case runtime = "await-runtime"
    case chain
    case post
    case gzip
    case https
    case jar
    case hit
    case retries
    case observed

    var title: String {
        switch self {
        case .references: "no sockets: retain and release by hand"
        case .message: "no sockets: encode a GET, decode nginx's head"
        case .delegate: "GET, delegate task"
        case .reactor: "GET, await data(for:) on the reactor"
        case .url: "GET, await data(from:) on the reactor"
        case .plain: "GET, await data(from:)"
        case .runtime: "GET, await data(from:) with the runtime"
        case .chain: "GET, request().validate().responseData"
        case .post: "POST of 1 KB, on the reactor"
        case .gzip: "GET answered in gzip, on the reactor"
        case .https: "https GET, on the reactor"
        case .jar: "GET, with 3,000 cookies of 500 other hosts"
        case .hit: "GET answered from memory, on the reactor"
        case .retries: "GET, with the standard retry policy"
        case .observed: "GET, with an observer that counts"
        }
    }

    /// How many system calls a request may make beyond the least. Where requests come from another thread than the
    /// reactor's, the reactor waits once more for some of them, as the two threads meet.
    var systemCallAllowance: Double { self == .plain || self == .chain ? 1.25 : 0.25 }

    /// How many reference operations a request may make beyond the least, for the same reason.
    var referenceOperationAllowance: Int { self == .plain || self == .chain ? 10 : 0 }

    /// How many reference operations a request makes; nil where only counting tells.
    var knownReferenceOperations: Int? { self == .references ? KnownReferences.count : nil }

    /// The wanted number of instructions; nil where there is no goal.
    var goal: Int? { self == .reactor ? 12_000 : nil }

    /// Sends `count` requests, and fails unless each is answered as it should be.
    func send(_ count: Int, to origins: Origins) throws {
        switch self {
        case .references: try KnownReferences.use(count)
        case .message: try Message.exchange(count)
        case .delegate: try DelegateChain.send(count, origins.small)
        case .reactor: try Awaiting(origins.small).sendOnReactor(count)
        case .url: try Awaiting(origins.small).sendOnReactor(count, byURL: true)
        case .plain: try Awaiting(origins.small).sendPlainly(count)
        case .runtime: try Awaiting(origins.shared).sendPlainly(count, withRuntime: true)
        case .chain: try RequestChain.send(count, origins.small)
        case .post:
            var request = URLRequest(url: origins.small.url)
            request.httpMethod = "POST"
            request.httpBody = Data(repeating: UInt8(ascii: "x"), count: 1024)
            try Awaiting(origins.small, request).sendOnReactor(count)
        case .gzip: try Awaiting(origins.compressed).sendOnReactor(count)
        case .https: try Awaiting(origins.sealed).sendOnReactor(count)
        case .jar: try Awaiting(origins.jar).sendOnReactor(count)
        case .hit: try Awaiting(origins.kept).sendOnReactor(count)
        case .retries: try Awaiting(origins.retried).sendOnReactor(count)
        case .observed: try Awaiting(origins.observed).sendOnReactor(count)
        }
    }
}
