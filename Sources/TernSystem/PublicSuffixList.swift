// SPDX-License-Identifier: Apache-2.0
// Safety: the functions are called with the signatures that libpsl.h declares. The list is the library's own, constant,
// and never freed; the library is never unloaded. A name is passed as a C string that outlives the call.
import TernLibC

/// The names under which anyone may register, such as `com`, `co.uk` and `github.io`, as the system's libpsl knows them
/// (publicsuffix.org). Loaded when it is first asked for.
@safe package struct PublicSuffixList: @unchecked Sendable {
    private typealias Builtin = @convention(c) () -> OpaquePointer?
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?
    private typealias IsPublicSuffix = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
    private typealias IsPublicSuffixOfKind = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> Int32

    /// The system's list; nil where libpsl is not installed.
    package static let system = PublicSuffixList()

    /// That of the library.
    package let version: String
    private let list: OpaquePointer
    private let isPublicSuffix: IsPublicSuffix
    private let isPublicSuffixOfKind: IsPublicSuffixOfKind
    /// PSL_TYPE_ICANN
    private static let kindOfRegistries: Int32 = 1

    private init?() {
        guard let library = unsafe dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL),
            let builtin = unsafe dlsym(library, "psl_builtin"),
            let version = unsafe dlsym(library, "psl_get_version"),
            let isPublicSuffix = unsafe dlsym(library, "psl_is_public_suffix"),
            let isPublicSuffixOfKind = unsafe dlsym(library, "psl_is_public_suffix2"),
            let list = unsafe unsafeBitCast(builtin, to: Builtin.self)()
        else { return nil }
        self.version = unsafe unsafeBitCast(version, to: Version.self)().map { unsafe String(cString: $0) } ?? ""
        unsafe self.list = unsafe list
        unsafe self.isPublicSuffix = unsafe unsafeBitCast(isPublicSuffix, to: IsPublicSuffix.self)
        unsafe self.isPublicSuffixOfKind = unsafe unsafeBitCast(isPublicSuffixOfKind, to: IsPublicSuffixOfKind.self)
    }

    /// Whether `domain` is a public suffix. A name of one label that the list does not have is one.
    ///
    /// - Parameter domain: in lower case and A-label form, without a final dot.
    package func contains(_ domain: String) -> Bool { unsafe isPublicSuffix(list, domain) != 0 }

    /// Whether `domain` is a public suffix of a registry, such as `co.uk`, and not only of a company, as `github.io` is.
    ///
    /// - Parameter domain: as for `contains`.
    package func hasRegistrySuffix(_ domain: String) -> Bool {
        unsafe isPublicSuffixOfKind(list, domain, Self.kindOfRegistries) != 0
    }
}
