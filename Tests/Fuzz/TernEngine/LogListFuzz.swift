// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of logs of certificates. Oracle: no trap, no leak; an error names a line that exists; a list that is
// read finds each of its logs, and no bytes are signed by a key that they contain.
import TernTLS

@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    do {
        let list = try TransparencyLogList(json: bytes)
        for log in list.logs {
            guard list.log(id: log.id)?.key == log.key else { fatalError("\(log.description) got lost") }
            _ = log.operatorName(at: 1_767_225_600)
        }
        let trust = ServerTrust(sentChain: [], anchors: .only([]), time: 1_767_225_600)
        let policy = ServerTrustPolicy.certificateTransparency(.chrome(list))
        guard !policy.evaluate(trust, host: "a.test").isAccepted else { fatalError("\(list)") }
    } catch {
        guard (1...lines).contains(error.line), !error.description.isEmpty else { fatalError("\(error)") }
    }
    guard (try? TransparencyLogList(json: bytes, signature: bytes, publicKey: bytes)) == nil else {
        fatalError("signed by itself")
    }
    return 0
}
