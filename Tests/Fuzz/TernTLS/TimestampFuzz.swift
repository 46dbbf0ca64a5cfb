// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of timestamps, as one, and as a stapled response. Oracle: no trap, no leak, no timestamp counts, and
// a list that is read has the bytes of its timestamps and nothing else.
@testable import TernTLS

private let key: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    // The generator of P-256.
    0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d,
    0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96, 0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a,
    0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb,
    0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
]

private let log: TransparencyLog = {
    guard let log = TransparencyLog(description: "log", operatorName: "One", key: key) else { fatalError("no key") }
    return log
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let list = SignedCertificateTimestamp.list(bytes) {
        guard !list.isEmpty, list.reduce(2, { $0 + 2 + $1.count }) == bytes.count else { fatalError("\(list)") }
        for timestamp in list { read(timestamp) }
    }
    read(bytes[...])
    _ = OCSPResponse(der: bytes).timestampLists.map(SignedCertificateTimestamp.list)
    return 0
}

private func read(_ bytes: ArraySlice<UInt8>) {
    guard let timestamp = try? SignedCertificateTimestamp(bytes) else { return }
    guard let signed = timestamp.signedBytes(for: .certificate([])), timestamp.seconds >= 0 else {
        fatalError("\(timestamp)")
    }
    guard !log.verificationKey.verifies(timestamp.signature, of: signed) else { fatalError("\(timestamp)") }
    let finding = TransparencyFinding(.certificate, .invalidSignature, timestamp: timestamp, log: log)
    guard !finding.description.isEmpty else { fatalError("\(timestamp)") }
}
