// SPDX-License-Identifier: Apache-2.0

/// The cookies, with curl's option names.
struct CookieOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-b", "--cookie", as: "cookies or file", repeats: true,
                help: """
                    Send these cookies, as in "a=1; b=2"; without "=", those of this file, and keep what responses set. The file \
                    has the Netscape format or "Set-Cookie:" lines, "-" is standard input, "" is none. Repeat for more.
                    """
            ) { $0.sources.append($1.text) },
            .value(
                "-c", "--cookie-jar", as: "file",
                help: """
                    Keep the cookies that responses set, and replace this file with all of them at the end; "-" is standard \
                    output. A file that -b reads keeps what other programs write to it meanwhile.
                    """
            ) { $0.jar = $1.given },
            .toggle("-j", "--junk-session-cookies", help: "Leave out session cookies of -b's files.") {
                $0.dropsSessionCookies = $1
            })
    }

    var sources: [String] = []
    var jar: String?
    var dropsSessionCookies = false

    /// The value of `Cookie` that is sent behind those of files; nil for none.
    var field: String? {
        let texts = sources.filter { !Self.isFile($0) }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// The files that are read; `-` is standard input. An empty name stands for none.
    var files: [String] {
        sources.filter(Self.isFile).map { $0.utf8.first == UInt8(ascii: "@") ? String($0.dropFirst()) : $0 }
    }

    /// As in curl, an at sign makes a file of every name.
    private static func isFile(_ source: String) -> Bool {
        source.utf8.first == UInt8(ascii: "@") || !source.utf8.contains(UInt8(ascii: "="))
    }

    /// Whether cookies are kept between requests.
    var keepsCookies: Bool { jar != nil || !files.isEmpty }
}
