// SPDX-License-Identifier: Apache-2.0
// Safety: both functions are called with the signatures that idn2.h declares. A name is passed as a C string that
// outlives the call; what is returned is a C string of our own, copied and then freed by the library, which is never
// unloaded.
import Glibc

/// Host names beyond ASCII as DNS knows them, by the system's libidn2 (UTS 46, nontransitional). Loaded when it is first
/// needed.
@safe package struct InternationalizedNames: @unchecked Sendable {
    private typealias Convert =
        @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, Int32) -> Int32
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// The system's library; nil where libidn2 is not installed.
    package static let system = InternationalizedNames()

    /// `IDN2_NFC_INPUT` and `IDN2_NONTRANSITIONAL`.
    private static let flags: Int32 = 1 | 8

    private let convert: Convert
    private let free: Free

    private init?() {
        guard let library = unsafe dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL),
            let convert = unsafe dlsym(library, "idn2_to_ascii_8z"), let free = unsafe dlsym(library, "idn2_free")
        else { return nil }
        unsafe self.convert = unsafe unsafeBitCast(convert, to: Convert.self)
        unsafe self.free = unsafe unsafeBitCast(free, to: Free.self)
    }

    /// The name in A-label form, `xn--…`; nil if it has none. The result may have any ASCII character.
    package func ascii(_ name: String) -> String? {
        // A C string ends at a zero byte.
        if name.utf8.contains(0) { return nil }
        var output: UnsafeMutablePointer<CChar>?
        guard unsafe convert(name, &output, Self.flags) == 0, let text = unsafe output else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
