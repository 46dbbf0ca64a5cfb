// SPDX-License-Identifier: Apache-2.0
// Safety: both functions are called with the signatures that idn2.h declares. A name is passed as a C string that
// outlives the call; what is returned is a C string of our own, copied and then freed by the library, which is never
// unloaded.
import TernLibC

/// Host names beyond ASCII as DNS knows them, by libidn2, as in curl: for names that are typed, that servers send, and
/// that settings have. Where libidn2 is not installed there are none: Foundation has tables of its own, which give some
/// names another form, and the command has no Foundation. A pin for a name must be for the name that is requested.
@safe package struct InternationalizedNames: @unchecked Sendable {
    private typealias Convert =
        @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, Int32) -> Int32
    private typealias CheckVersion = @convention(c) (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// The system's library, loaded when it is first needed; nil where libidn2 is not installed.
    package static let system = InternationalizedNames(library: "libidn2.so.0")

    /// The most bytes of a name: its form in DNS has 253 at most.
    private static let maximumLength = 1024

    // Of `idn2.h`.
    private static let nfcInput: Int32 = 1
    private static let transitional: Int32 = 4
    private static let nontransitional: Int32 = 8
    private static let disallowed: Int32 = -304

    /// That of the library.
    package let version: String
    private let convert: Convert
    private let free: Free

    /// - Parameter library: the file of libidn2.
    init?(library: String) {
        guard let library = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL),
            let convert = unsafe dlsym(library, "idn2_to_ascii_8z"), let free = unsafe dlsym(library, "idn2_free"),
            let version = unsafe dlsym(library, "idn2_check_version")
        else { return nil }
        self.version =
            unsafe unsafeBitCast(version, to: CheckVersion.self)(nil).map { unsafe String(cString: $0) } ?? ""
        unsafe self.convert = unsafe unsafeBitCast(convert, to: Convert.self)
        unsafe self.free = unsafe unsafeBitCast(free, to: Free.self)
    }

    /// The form in which a host is requested and compared: its name in DNS if it has characters beyond ASCII and such a
    /// name, else the host as it is.
    package static func inDNS(_ host: String) -> String {
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return host }
        return system?.ascii(host) ?? host
    }

    /// The name in A-label form, `xn--…`; nil if it has none, or if that is no host name: some characters beyond ASCII
    /// stand for a slash or a colon.
    ///
    /// UTS 46, nontransitional; labels with symbols, such as emoji, which IDNA does not allow, are converted
    /// transitionally, as in curl. That is done for each label, since it changes others: `ß` would become `ss`.
    package func ascii(_ name: String) -> String? {
        // A C string ends at a zero byte.
        guard name.utf8.count <= Self.maximumLength, !name.utf8.contains(0) else { return nil }
        let whole = ascii(name, Self.nontransitional)
        if whole.code != Self.disallowed { return whole.text }
        var labels: [String] = []
        for label in name.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: Self.isDot) {
            guard let text = label.isEmpty ? "" : ascii(ofLabel: String(label)) else { return nil }
            labels.append(text)
        }
        return labels.joined(separator: ".")
    }

    private func ascii(ofLabel label: String) -> String? {
        let strict = ascii(label, Self.nontransitional)
        let text = strict.code == Self.disallowed ? ascii(label, Self.transitional).text : strict.text
        return text.flatMap { $0.utf8.contains(UInt8(ascii: ".")) ? nil : $0 }
    }

    private func ascii(_ name: String, _ kind: Int32) -> (text: String?, code: Int32) {
        var output: UnsafeMutablePointer<CChar>?
        let code = unsafe convert(name, &output, Self.nfcInput | kind)
        guard code == 0, let found = unsafe output else { return (nil, code) }
        defer { unsafe free(found) }
        let text = unsafe String(cString: found)
        return (text.utf8.allSatisfy(Self.mayStandInName) ? text : nil, code)
    }

    /// The four that separate labels (UTS 46 §4).
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        [0x2E, 0x3002, 0xFF0E, 0xFF61].contains(scalar.value)
    }

    /// As in the host of a URL that can be requested.
    private static func mayStandInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
