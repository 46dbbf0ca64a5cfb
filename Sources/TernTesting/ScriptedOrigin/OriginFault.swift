// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// What goes wrong by rule: steps that an origin takes before those of its script, or in their place, on some of its
/// connections or for some of its requests.
///
/// ```swift
/// var configuration = OriginConfiguration()
/// configuration.faults = [
///     .connections(.every(3), [.reset]),
///     .requests(.first(2), instead: [.respond(status: 503)]),
///     .requests(.every(10), instead: .resetInContent),
/// ]
/// let origin = try ScriptedOrigin(configuration) { _, _ in [.ok("hello")] }
/// ```
///
/// Of several faults for one connection, or for one request, the first in the list counts.
public struct OriginFault: Sendable {
    /// Which connections or requests of an origin, counted from 1.
    public enum Selection: Sendable, Hashable {
        /// Each whose number is a multiple of this one; none if it is 0 or less.
        case every(Int)
        /// This number of them, the first ones.
        case first(Int)
        /// Those with these numbers.
        case numbers(Set<Int>)

        func contains(_ number: Int) -> Bool {
            switch self {
            case .every(let step): step > 0 && number % step == 0
            case .first(let count): number <= count
            case .numbers(let numbers): numbers.contains(number)
            }
        }
    }

    fileprivate enum Place {
        case connection
        case request(followedByScript: Bool)
    }

    fileprivate let place: Place
    fileprivate let selection: Selection
    fileprivate let steps: [OriginStep]

    /// Takes these steps as soon as a connection is accepted, before any byte is read. The script follows unless they end
    /// the connection.
    public static func connections(_ selection: Selection, _ steps: [OriginStep]) -> OriginFault {
        OriginFault(place: .connection, selection: selection, steps: steps)
    }

    /// Takes these steps after a whole request, in place of the script's. Requests are counted in the order in which they
    /// are complete, on whatever connection.
    public static func requests(_ selection: Selection, instead steps: [OriginStep]) -> OriginFault {
        OriginFault(place: .request(followedByScript: false), selection: selection, steps: steps)
    }

    /// The same, and the script's steps follow unless these end the connection: for a wait before the answer.
    public static func requests(_ selection: Selection, before steps: [OriginStep]) -> OriginFault {
        OriginFault(place: .request(followedByScript: true), selection: selection, steps: steps)
    }
}

extension [OriginStep] {
    /// Sends the head of a 200, and closes with RST.
    public static var resetAfterHead: Self { [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), .reset] }

    /// Sends the head of a 200 and half of its content, and closes with RST.
    public static var resetInContent: Self { [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"), .reset] }
}

/// The faults of one origin, and the number of its requests so far. Any thread.
final class OriginFaults: Sendable {
    private let ofConnections: [OriginFault]
    private let ofRequests: [OriginFault]
    private let requestCount = Atomic(0)

    init(_ faults: [OriginFault]) {
        ofConnections = faults.filter { if case .connection = $0.place { true } else { false } }
        ofRequests = faults.filter { if case .request = $0.place { true } else { false } }
    }

    /// The script with the faults in front of it.
    func before(_ script: OriginScript) -> OriginScript {
        let onAccept: OriginScript.AcceptHandler? =
            ofConnections.isEmpty
            ? script.onAccept
            : { @Sendable number in
                (self.ofConnections.first { $0.selection.contains(number) }?.steps ?? [])
                    + (script.onAccept?(number) ?? [])
            }
        if ofRequests.isEmpty {
            return OriginScript(onAccept: onAccept, onHead: script.onHead, onRequest: script.onRequest)
        }
        return OriginScript(onAccept: onAccept, onHead: script.onHead) { connection, request in
            let number = self.requestCount.add(1, ordering: .relaxed).newValue
            guard let fault = self.ofRequests.first(where: { $0.selection.contains(number) }) else {
                return script.onRequest(connection, request)
            }
            guard case .request(followedByScript: true) = fault.place else { return fault.steps }
            return fault.steps + script.onRequest(connection, request)
        }
    }
}
