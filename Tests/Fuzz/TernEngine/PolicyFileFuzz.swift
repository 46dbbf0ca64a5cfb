// SPDX-License-Identifier: Apache-2.0
// Any bytes as a policy file and as a rule. Oracle: no trap, no leak; an error names a line that exists; whatever is
// read can be asked for any host, and an unpinned server is refused by every set that enforces.
import FoundationEssentials

@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    do {
        let file = try PolicyFile(json: bytes)
        let manager = file.manager()
        for set in file.pinSets {
            guard !set.pins.isEmpty, !set.hosts.isEmpty else { fatalError("an empty set was read") }
            for host in set.hosts.map(\.host) where set.covers(host) {
                guard manager.serverTrustPolicy(forHost: host) != nil else { fatalError("\(host) got lost") }
            }
        }
        _ = file.warnings(at: 1_767_225_600).map { "\($0.warning)" }
    } catch {
        guard (1...lines).contains(error.line), !error.description.isEmpty else { fatalError("\(error)") }
    }
    if let fields = try? JSONFields(reading: bytes), let policy = try? ServerTrustPolicy(fields: fields) {
        let trust = ServerTrust(sentChain: [], anchors: .only([]), time: 0)
        let result = policy.evaluate(trust, host: "a.test")
        if case .disableEvaluation = policy { return 0 }
        if case .composite = policy { return 0 }
        guard !result.isAccepted else { fatalError("\(result)") }
    }
    return 0
}
