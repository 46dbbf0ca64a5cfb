// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

extension ResponseCase {
    /// Runs the case whole, one byte at a time, cut at every position, at an unmapped page, and with bytes of a next
    /// message behind it: the verdict must always be the same.
    func check() {
        let whole = script.run([input])
        #expect(whole.events == expectedEvents, "\(name)")
        for field in expectedFields {
            let name = String(field.prefix { $0 != ":" })
            let value = String(field.dropFirst(name.count + 2))
            #expect(whole.heads.last?[name].map { escaped($0.utf8) } == value, "\(self.name): \(name)")
        }
        #expect(script.run(input.map { [$0] }) == whole, "\(name): byte by byte")
        for cut in input.indices {
            let pieces = [Array(input[..<cut]), Array(input[cut...])]
            #expect(script.run(pieces) == whole, "\(name): cut at \(cut)")
        }
        if let followed = followed(whole) { #expect(script.run([input + Self.next]) == followed, "\(name): followed") }
        #expect(UnmappedPage.run(script, input) == whole, "\(name): at an unmapped page")
    }

    private static let next = Array("HTTP/1.1 200 Next\r\nContent-Length: 0\r\n\r\n".utf8)

    /// What the same input must give with a next message behind it, where that is not simply more of the same.
    private func followed(_ whole: Transcript) -> Transcript? {
        var followed = whole
        if whole.error != nil { return script.closes ? nil : followed }
        guard whole.events.contains("end"), !script.closes else { return nil }
        followed.events.removeLast()
        followed.events.append("leftover")
        return followed
    }
}
