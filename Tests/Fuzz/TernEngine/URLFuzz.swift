// SPDX-License-Identifier: Apache-2.0
// Any bytes as a text that becomes a URL. Oracle: no trap; to escape a text again changes nothing; Foundation, where it
// takes the result for a URL, adds nothing; what curl would send of it is escaped to the same; a Location has no control
// characters, and is otherwise the same, but for a host behind slashes that are not two.
import FoundationEssentials

@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes)
    check(Array("http://h/".utf8) + bytes)
    check(Array("http://".utf8) + bytes)
    return 0
}

private func check(_ bytes: [UInt8]) {
    let reference = URIReference(escaping: bytes)
    let text = reference.description
    guard URIReference(escaping: text.utf8) == reference, URIReference(text) == reference else {
        fatalError("\(bytes) becomes \(text), and that something else")
    }
    let typed = URIReference(escaping: bytes, keeping: .visible)
    guard typed.authority == reference.authority, URIReference(escaping: typed.description.utf8) == reference else {
        fatalError("\(typed), as typed, does not become \(text)")
    }
    if let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString != text {
        fatalError("\(text) becomes \(url.absoluteString)")
    }
    if let whole = String(validating: bytes, as: UTF8.self), URIReference.isPlain(whole), whole != text {
        fatalError("\(whole) was to stay as it is")
    }
    let hasControls = bytes.contains { $0 < 0x20 || $0 == 0x7F }
    let read = URIReference(escaping: URL.withTwoSlashes(bytes))
    guard URIReference(location: bytes) == (hasControls ? nil : read) else { fatalError("\(bytes) as a Location") }
    if read != reference, reference.scheme != read.scheme || reference.authority?.isEmpty == false {
        fatalError("\(text) has another host as a Location: \(read)")
    }
    if let base = URL(string: "http://h/a?b") { _ = URL(location: bytes, from: base) }
}
