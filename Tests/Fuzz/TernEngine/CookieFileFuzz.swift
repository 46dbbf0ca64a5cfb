// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of cookies in the Netscape format. Oracle: no trap; what was read and written is read again, as
// the same cookies.

import Foundation

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let now = Date(timeIntervalSince1970: 0)
    guard let cookies = try? NetscapeCookies.cookies(in: text, now: now) else { return 0 }
    let written = NetscapeCookies.text(of: cookies)
    guard let again = try? NetscapeCookies.cookies(in: written, now: now) else {
        fatalError("a file of its own cannot be read:\n\(written)")
    }
    // A cookie without a name, and one whose line would be a comment, have no line.
    let kept = cookies.filter { !$0.name.isEmpty && $0.domain.first != "#" }
    guard again == kept else { fatalError("\(kept.count) cookies became \(again.count), or others:\n\(written)") }
    guard NetscapeCookies.text(of: again) == written else { fatalError("written otherwise the second time") }
    return 0
}
