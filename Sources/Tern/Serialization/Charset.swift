// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock

/// The encoding that the `charset` parameter of a Content-Type names (RFC 9110 §8.3.2), by the labels of the WHATWG
/// Encoding Standard (§4.2): `gb2312` is gb18030, and `iso-8859-1` is windows-1252, as servers mean it.
struct Charset {
    let encoding: String.Encoding

    /// The charset with this label, whose case and outer white space have no meaning. One that is unknown has an
    /// encoding that decodes nothing, and whose ``name(of:)`` is the label.
    init(label: String) {
        let label = label.lowercased().trimmingCharacters(in: Self.whiteSpace)
        encoding =
            Self.labels[label].map(Self.encoding) ?? String.Encoding(ianaName: label)
            ?? Self.unknown.encoding(for: label)
    }

    /// The text, or nil if the bytes are none. A byte order mark is no part of it.
    func decode(_ data: Data) -> String? {
        switch encoding {
        case .utf16LittleEndian, .utf16BigEndian:
            // A mark is right where a label is wrong (Encoding Standard §6).
            if data.starts(with: [0xFF, 0xFE]) { return String(data: data.dropFirst(2), encoding: .utf16LittleEndian) }
            if data.starts(with: [0xFE, 0xFF]) { return String(data: data.dropFirst(2), encoding: .utf16BigEndian) }
            return String(data: data, encoding: encoding)
        case .windowsCP1252: return String(data: data, encoding: encoding) ?? Self.latin(data)
        case let encoding: return Self.unknown.label(of: encoding) == nil ? String(data: data, encoding: encoding) : nil
        }
    }

    /// The name of an encoding, for a message: of an unknown charset its label.
    static func name(of encoding: String.Encoding) -> String {
        if let label = unknown.label(of: encoding) { return "\"\(label)\", which is unknown" }
        let text = "\(encoding)"
        // Foundation has no words for most.
        guard UInt(text) == encoding.rawValue else { return text }
        return table.first { self.encoding($0.number) == encoding }?.name ?? text
    }

    /// Windows-1252 has no character for five bytes; the Encoding Standard (§5) reads them as the controls of
    /// ISO-8859-1, so that every byte is one.
    private static func latin(_ data: Data) -> String {
        data.map { String(data: Data([$0]), encoding: .windowsCP1252) ?? String(UnicodeScalar($0)) }.joined()
    }

    /// CoreFoundation's numbers, as `CFStringConvertEncodingToNSStringEncoding` converts them, and Foundation's.
    private static func encoding(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: number > 0xFF ? 0x8000_0000 | number : number)
    }

    private static let whiteSpace = CharacterSet(charactersIn: "\t\n\u{c} \r")
    private static let unknown = UnknownCharsets()

    private static let labels: [String: UInt] = Dictionary(
        table.flatMap { row in row.labels.split(separator: " ").map { (String($0), row.number) } }
    ) { first, _ in first }

    /// The name of each encoding of the Encoding Standard that Foundation can have, its number and its labels. Missing:
    /// those that the Standard refuses to decode ("replacement"), and x-user-defined. Foundation has no EUC-JP on Linux.
    private static let table: [(name: String, number: UInt, labels: String)] = [
        ("utf-8", 4, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
        ("ibm866", 0x041B, "866 cp866 csibm866 ibm866"),
        (
            "iso-8859-2", 0x0202,
            "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"
        ),
        (
            "iso-8859-3", 0x0203,
            "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"
        ),
        (
            "iso-8859-4", 0x0204,
            "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"
        ),
        (
            "iso-8859-5", 0x0205,
            "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"
        ),
        (
            "iso-8859-6", 0x0206,
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
                + "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
        ),
        (
            "iso-8859-7", 0x0207,
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
                + "iso_8859-7:1987 sun_eu_greek"
        ),
        (
            "iso-8859-8", 0x0208,
            "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
                + "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical"
        ),
        ("iso-8859-10", 0x020A, "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
        ("iso-8859-13", 0x020D, "iso-8859-13 iso8859-13 iso885913"),
        ("iso-8859-14", 0x020E, "iso-8859-14 iso8859-14 iso885914"),
        ("iso-8859-15", 0x020F, "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
        ("iso-8859-16", 0x0210, "iso-8859-16"),
        ("koi8-r", 0x0A02, "cskoi8r koi koi8 koi8-r koi8_r"),
        ("koi8-u", 0x0A08, "koi8-ru koi8-u"),
        // Foundation's own number, 30, decodes other characters on Linux.
        ("macintosh", 0x8000_0000, "csmacintosh mac macintosh x-mac-roman"),
        ("windows-874", 0x041D, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
        ("windows-1250", 15, "cp1250 windows-1250 x-cp1250"),
        ("windows-1251", 11, "cp1251 windows-1251 x-cp1251"),
        (
            "windows-1252", 12,
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
                + "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
        ),
        ("windows-1253", 13, "cp1253 windows-1253 x-cp1253"),
        (
            "windows-1254", 14,
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
                + "windows-1254 x-cp1254"
        ),
        ("windows-1255", 0x0505, "cp1255 windows-1255 x-cp1255"),
        ("windows-1256", 0x0506, "cp1256 windows-1256 x-cp1256"),
        ("windows-1257", 0x0507, "cp1257 windows-1257 x-cp1257"),
        ("windows-1258", 0x0508, "cp1258 windows-1258 x-cp1258"),
        // CoreFoundation's number of Mac Cyrillic, which on Linux is the Ukrainian set.
        ("x-mac-cyrillic", 0x8000_0007, "x-mac-cyrillic x-mac-ukrainian"),
        (
            "gb18030", 0x0632,
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030"
        ),
        ("big5", 0x0A06, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        ("euc-jp", 3, "cseucpkdfmtjapanese euc-jp x-euc-jp"),
        ("iso-2022-jp", 21, "csiso2022jp iso-2022-jp"),
        ("shift_jis", 8, "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"),
        (
            "euc-kr", 0x0422,
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"
        ),
        ("utf-16be", 0x1000_0100, "unicodefffe utf-16be"),
        (
            "utf-16le", 0x1400_0100,
            "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"
        ),
    ]
}

/// Charsets that are unknown, as encodings that nothing else has: an error carries an encoding, and its text the label.
/// The last labels are kept, because servers choose them.
final class UnknownCharsets: Sendable {
    static let count = 64
    private static let maximumLength = 40
    private static let numbers: Range<UInt> = 0x6000_0000..<0x7000_0000

    private struct Labels {
        var latest: [String] = []
        var next: UInt = 0
    }

    private let labels = Lock(Labels())

    /// An encoding for the label; a new one for each call.
    func encoding(for label: String) -> String.Encoding {
        let label = String(label.unicodeScalars.prefix(Self.maximumLength))
        let number = labels.withLock { labels in
            let number = labels.next
            labels.next = (number + 1) % UInt(Self.numbers.count)
            if labels.latest.count == Self.count { labels.latest.removeFirst() }
            labels.latest.append(label)
            return number
        }
        return String.Encoding(rawValue: Self.numbers.lowerBound + number)
    }

    /// The label of such an encoding, or "charset" if it is an old one; nil for others.
    func label(of encoding: String.Encoding) -> String? {
        guard Self.numbers.contains(encoding.rawValue) else { return nil }
        let number = encoding.rawValue - Self.numbers.lowerBound
        return labels.withLock { labels in
            let age = Int(clamping: labels.next) - Int(clamping: number)
            return age >= 1 && age <= labels.latest.count ? labels.latest[labels.latest.count - age] : "charset"
        }
    }
}
