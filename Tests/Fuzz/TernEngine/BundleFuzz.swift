// SPDX-License-Identifier: Apache-2.0
// Any bytes as a SPIFFE ID, and as a bundle of a trust domain. Oracle: no trap, no leak; a name that is read is written as
// it was and has no byte that splits or escapes; an error names a line that exists; a bundle accepts no chain without its keys.
import TernTLS

@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    readID(String(decoding: bytes, as: UTF8.self))
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    do {
        let bundle = try SPIFFEBundle(json: bytes)
        guard try SPIFFEBundle(json: bytes) == bundle else { fatalError("\(bundle)") }
        guard let id = try? SPIFFEID("spiffe://a/b") else { fatalError("no ID") }
        let trust = ServerTrust(sentChain: bundle.authorities, anchors: .only([]), time: 1_767_225_600)
        let result = ServerTrustPolicy.spiffe(SPIFFEPolicy(id: id, bundle: bundle)).evaluate(trust, host: "a")
        guard !result.isAccepted || bundle.authorities.first?.spiffeID == id else { fatalError("\(result)") }
    } catch {
        guard (1...lines).contains(error.line), !error.description.isEmpty else { fatalError("\(error)") }
    }
    return 0
}

private func readID(_ text: String) {
    do {
        let id = try SPIFFEID(text)
        guard "\(id)" == text, id.isWithin(id), try SPIFFEID.TrustDomain(id.trustDomain.name) == id.trustDomain else {
            fatalError(text)
        }
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/".utf8)
        // A trust domain may be a dot; a segment of a path may not.
        let path = id.path + "/"
        guard path.utf8.allSatisfy(allowed.contains), !path.contains("/../"), !path.contains("/./") else {
            fatalError(text)
        }
    } catch {
        guard !error.description.isEmpty else { fatalError("\(error)") }
    }
}
