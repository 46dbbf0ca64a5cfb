// SPDX-License-Identifier: Apache-2.0
// Any bytes as the value of Set-Cookie, and as a date. Oracle: no trap; name, value and attributes keep their limits
// and have no character that would end them in a Cookie field; a cookie that is made of them has them; a date that is
// read is the same when it is written in the usual form.
import Foundation

@testable import TernEngine
@testable import TernTLS

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    for date in [text, text.replacing("_", with: " ")] { checkDate(date) }
    guard let field = SetCookie(bytes) else { return 0 }
    check(field, bytes)
    let origin = CookieOrigin(secureHost: "www.example.com")
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    guard let cookie = HTTPCookie(field, from: origin, now: now) else { return 0 }
    guard cookie.identity.name == field.name, cookie.valueBytes == field.value, cookie.path == field.path?.text ?? "/"
    else {
        fatalError("\(field) became another cookie")
    }
    guard cookie.host == "www.example.com" || cookie.host == "example.com" else { fatalError("a foreign host") }
    if let end = cookie.expiresDate, end > now + Double(HTTPCookie.maximumAge) { fatalError("a long life") }
    // Bytes survive a file, if it has a line for them.
    let again = CookieText(CookieText.bytes(of: [cookie]), now: now)
    if field.name.bytes.isEmpty || cookie.pair.contains(0x09) || cookie.path.utf8.contains(0x09) { return 0 }
    guard again.cookies.map(\.pair) == [cookie.pair], again.skippedLineCount == 0 else {
        fatalError("\(cookie) is lost")
    }
    return 0
}

private func check(_ field: SetCookie, _ bytes: [UInt8]) {
    let isText = { (byte: UInt8) in byte == 0x09 || byte >= 0x20 && byte != 0x7F }
    let (name, value) = (field.name.bytes, field.value.bytes)
    guard !name.isEmpty || !value.isEmpty, name.count + value.count <= SetCookie.maximumSize,
        name.allSatisfy({ isText($0) && $0 != 0x3B && $0 != 0x3D }), value.allSatisfy({ isText($0) && $0 != 0x3B })
    else { fatalError("\(field)") }
    for part in [name, value] where !part.isEmpty && !bytes.indices.contains(where: { bytes[$0...].starts(with: part) })
    {
        fatalError("other bytes: \(field)")
    }
    guard bytes.count <= SetCookie.maximumFieldSize else { fatalError("a long field") }
    let path = field.path?.bytes ?? [0x2F]
    // A byte of a domain that is not UTF-8 becomes a character of three.
    guard path.count <= SetCookie.maximumAttributeSize, path.allSatisfy(isText), path.first == 0x2F,
        (field.domain ?? "").utf8.count <= 3 * SetCookie.maximumAttributeSize, field.domain != ""
    else { fatalError("a long or broken attribute: \(field)") }
}

private func checkDate(_ text: String) {
    guard let seconds = CookieDate.seconds(text) else { return }
    let usual = Timestamp.rfc3339(seconds)
    let words = usual.replacing("T", with: " ").replacing("Z", with: " GMT").split(separator: " ")
    let parts = words[0].split(separator: "-")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 3, let month = Int(parts[1]), parts[0].count == 4 else { fatalError("\(usual) of \(text)") }
    let written = "Sun, \(parts[2]) \(months[month - 1]) \(parts[0]) \(words[1]) GMT"
    guard CookieDate.seconds(written) == seconds else { fatalError("\(text) is \(written), which is another time") }
    guard HTTPDate.seconds(written) == seconds else { fatalError("HTTP reads \(written) as another time") }
}
