// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// One entry of OpenSSL's error queue.
public struct OpenSSLError: Error, Sendable, Hashable {
    /// OpenSSL's packed code, as `openssl errstr` reads it in hexadecimal.
    public let code: UInt
    /// The part of OpenSSL that reported it, such as `SSL routines`.
    public let library: String
    /// The reason, such as `wrong version number`.
    public let reason: String
    /// Details added where the error occurred, or empty.
    public let detail: String

    /// The library's number, `ERR_LIB_…`.
    var libraryNumber: Int32 { ERR_GET_LIB(code) }
    /// The reason's number within its library.
    var reasonNumber: Int32 { ERR_GET_REASON(code) }

    /// Empties this thread's queue. Every use of OpenSSL begins with it, so it also sets OpenSSL up.
    ///
    /// The queue is nearly always empty, and OpenSSL clears all its 16 entries: checking first takes a tenth of the
    /// time, several times per record.
    static func clear() {
        if !OpenSSLLibrary.isReady || ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Removes all entries of this thread's queue, oldest first.
    ///
    /// The queue belongs to the thread, not to a connection: it is emptied before each call into `libssl` and read
    /// right after it, so one connection's error is never reported as another's.
    static func drain() -> [OpenSSLError] {
        var errors: [OpenSSLError] = []
        while true {
            var data: UnsafePointer<CChar>?
            var flags: Int32 = 0
            let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
            guard code != 0 else { return errors }
            unsafe errors.append(
                OpenSSLError(
                    code: code,
                    library: String(cStringOrEmpty: ERR_lib_error_string(code)),
                    reason: String(cStringOrEmpty: ERR_reason_error_string(code)),
                    detail: flags & ERR_TXT_STRING != 0 ? String(cStringOrEmpty: data) : ""))
        }
    }
}

extension OpenSSLError: CustomStringConvertible {
    public var description: String {
        let text = reason.isEmpty ? "error 0x" + String(code, radix: 16) : reason
        return (library.isEmpty ? "" : library + ": ") + text + (detail.isEmpty ? "" : " (" + detail + ")")
    }
}

extension [OpenSSLError] {
    /// A description of an error, followed by OpenSSL's oldest entry, which is the cause: the later ones are of the
    /// functions that it passed through.
    func appended(to text: String) -> String { first.map { "\(text) [\($0)]" } ?? text }
}

extension String {
    /// Copies a C string; nil becomes the empty string.
    @unsafe init(cStringOrEmpty text: UnsafePointer<CChar>?) {
        self = unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}

/// OpenSSL, set up before its first use here.
package enum OpenSSLLibrary {
    /// OpenSSL must not free itself when the process exits while threads still use it: reactors that ended at that
    /// moment have crashed on a freed lock. The memory is freed with the process anyway. If the application has set
    /// OpenSSL up before, its choice stays.
    static let isReady = OPENSSL_init_ssl(tern_OPENSSL_INIT_NO_ATEXIT, nil) == 1

    /// Such as `OpenSSL 3.0.15 3 Sep 2024`: that of the library that is loaded.
    package static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
