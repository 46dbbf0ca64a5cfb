// SPDX-License-Identifier: Apache-2.0
// Any bytes as a server's, to a session that trusts every server: the first byte chooses how they are split, and
// whether the session continues as if established. Oracle: no trap, no leak, no progress without a certificate, and all
// deliveries give the same result.
@testable import TernTLS

private let context: TLSContext? = {
    var configuration = TLSSettings()
    configuration.anchors = .only([])
    return try? TLSContext(configuration)
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1, let context else { return 0 }
    let bytes = unsafe Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let whole = outcome(context, bytes, step: bytes.count)
    let cut = outcome(context, bytes, step: Int(unsafe start.pointee % 16) + 1)
    guard whole == cut else { fatalError("whole: \(whole), cut: \(cut)") }
    return 0
}

/// What became of the handshake, in words that do not depend on how the bytes were cut.
private func outcome(_ context: TLSContext, _ bytes: [UInt8], step: Int) -> String {
    do throws(TLSError) {
        var session = try TLSSession(context: context, host: "a.test", policy: .disableEvaluation)
        var nothing = 0
        _ = try unsafe session.handshake(UnsafeRawBufferPointer(start: nil, count: 0), from: &nothing)
        for start in stride(from: 0, to: bytes.count, by: step) {
            let window = Array(bytes[start...].prefix(step))
            var offset = 0
            let progress = try feed(&session, window, &offset)
            unsafe session.drainOutgoing { $0.count }
            guard progress == .needMoreBytes, offset == window.count else { fatalError("completed on fuzz") }
        }
        return "more"
    } catch {
        return "\(error.reason)"
    }
}

private func feed(
    _ session: inout TLSSession, _ window: [UInt8], _ offset: inout Int
) throws(TLSError) -> HandshakeProgress {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: window.count, alignment: 1)
    defer { unsafe copy.deallocate() }
    unsafe copy.copyBytes(from: window)
    return try unsafe session.handshake(UnsafeRawBufferPointer(copy), from: &offset)
}
