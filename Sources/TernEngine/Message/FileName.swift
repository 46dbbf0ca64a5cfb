// SPDX-License-Identifier: Apache-2.0
import TernFiles

/// The name of a file in a folder, made from a server's or a URL's text: one component, which leads to no other folder,
/// is not hidden, and is no option of a command.
enum FileName {
    /// The maximum length in file systems, in bytes.
    static let longest = 255
    /// A longer extension is truncated like the rest of a name.
    private static let longestExtension = 32

    /// Nil if the result is empty.
    ///
    /// Removes everything before the last `/` or `\`, control characters, characters that change the direction of text,
    /// leading and trailing spaces and dots, and leading dashes: a name with a leading dot would be a hidden file, such as
    /// `.bashrc`, and `rm *` would take `-rf` for an option. A name that is too long is truncated between two characters,
    /// before its extension.
    static func safe(_ proposed: String) -> String? {
        let scalars = proposed.unicodeScalars
        let last =
            scalars.lastIndex { $0 == "/" || $0 == "\\" }.map { scalars[scalars.index(after: $0)...] } ?? scalars[...]
        var kept = last.filter { !isDangerous($0) }[...]
        kept = kept.drop { $0 == "-" || isTrimmed($0) }
        while let scalar = kept.last, isTrimmed(scalar) { kept.removeLast() }
        let name = String(String.UnicodeScalarView(kept))
        if name.isEmpty { return nil }
        return length(name) <= longest ? name : shortened(name)
    }

    /// Returns the first `count` bytes, less the last character if it would be split.
    static func prefix(_ text: Substring, _ count: Int) -> String {
        var kept = text.unicodeScalars[...]
        var length = length(String(text))
        while length > count, let scalar = kept.popLast() { length -= self.length(String(scalar)) }
        return String(kept)
    }

    private static func length(_ name: String) -> Int { ByteText.bytes(ofPath: name).count }

    private static func shortened(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), length(String(name[dot...])) <= longestExtension else {
            return prefix(name[...], longest)
        }
        return prefix(name[..<dot], longest - length(String(name[dot...]))) + name[dot...]
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Cf: among them what makes `gpj.exe` look like `exe.jpg`.
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
}
