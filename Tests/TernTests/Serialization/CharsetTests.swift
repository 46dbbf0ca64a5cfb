// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct CharsetTests {
    /// The labels of the Encoding Standard (§4.2), with bytes of which the encoding makes a text that no other makes.
    @Test(
        arguments: [
            ("unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8", [0xE2, 0x82, 0xAC], "€"),
            ("866 cp866 csibm866 ibm866", [0x80, 0xE0], "Ар"),
            ("csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2", [0xA3], "Ł"),
            ("csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3", [0xA1], "Ħ"),
            ("csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4", [0xA2], "ĸ"),
            (
                "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
                [0xC4], "Ф"
            ),
            (
                "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
                    + "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987", [0xC4], "ؤ"
            ),
            (
                "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
                    + "iso_8859-7:1987 sun_eu_greek", [0xC4, 0xA1], "Δ‘"
            ),
            (
                "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
                    + "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical", [0xE0], "א"
            ),
            ("csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6", [0xA2], "Ē"),
            ("iso-8859-13 iso8859-13 iso885913", [0xE3], "ć"), ("iso-8859-14 iso8859-14 iso885914", [0xA1], "Ḃ"),
            ("csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9", [0xA4], "€"), ("iso-8859-16", [0xAA], "Ș"),
            ("cskoi8r koi koi8 koi8-r koi8_r", [0xC4, 0xA4], "д╓"), ("koi8-ru koi8-u", [0xC4, 0xA4], "дє"),
            ("csmacintosh mac macintosh x-mac-roman", [0x8E], "é"),
            ("dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874", [0xA1, 0x80], "ก€"),
            ("cp1250 windows-1250 x-cp1250", [0x8C], "Ś"), ("cp1251 windows-1251 x-cp1251", [0xC4], "Д"),
            (
                "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
                    + "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252", [0x80, 0x81, 0x9D, 0xE4],
                "€\u{81}\u{9D}ä"
            ),
            ("cp1253 windows-1253 x-cp1253", [0xA2], "Ά"),
            (
                "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
                    + "windows-1254 x-cp1254", [0xD0, 0x80], "Ğ€"
            ),
            ("cp1255 windows-1255 x-cp1255", [0xE0, 0x80], "א€"), ("cp1256 windows-1256 x-cp1256", [0xC4], "ؤ"),
            ("cp1257 windows-1257 x-cp1257", [0xC2], "Ā"), ("cp1258 windows-1258 x-cp1258", [0xD0, 0xFE], "Đ₫"),
            ("x-mac-cyrillic x-mac-ukrainian", [0xA2, 0xFF], "Ґ€"),
            (
                "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
                [0xC4, 0xE3, 0x81, 0x30, 0x81, 0x30], "你\u{80}"
            ),
            ("big5 big5-hkscs cn-big5 csbig5 x-x-big5", [0xA7, 0x41], "你"),
            ("csiso2022jp iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"),
            ("csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis", [0x82, 0xA0, 0x87, 0x40], "あ①"),
            (
                "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
                [0xB0, 0xA1, 0x81, 0x41], "가갂"
            ),
            ("unicodefffe utf-16be", [0x20, 0xAC], "€"), ("unicodefffe utf-16be", [0xFF, 0xFE, 0xAC, 0x20], "€"),
            ("csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le", [0xAC, 0x20], "€"),
            ("utf-16 utf-16le", [0xFE, 0xFF, 0x20, 0xAC], "€"), ("utf-16le", [0xFF, 0xFE, 0xAC, 0x20], "€"),
            ("utf-8", [0xEF, 0xBB, 0xBF, 0x41], "A"),
        ] as [(String, [UInt8], String)])
    func `each label of the Encoding Standard names its encoding, in any case`(
        labels: String, bytes: [UInt8], text: String
    ) {
        for label in labels.split(separator: " ") {
            for label in [String(label), " \t\(label.uppercased())\n"] {
                let charset = Charset(label: label)
                #expect(charset.decode(Data(bytes)) == text, "\(label)")
                #expect(!Charset.name(of: charset.encoding).contains("unknown"))
            }
        }
    }

    /// Foundation has no EUC-JP on Linux; text that it cannot decode is an error and never another text.
    @Test(arguments: ["euc-jp", "x-euc-jp", "cseucpkdfmtjapanese"])
    func `an encoding that Foundation lacks decodes nothing or the right text`(label: String) {
        #expect([nil, "あ"].contains(Charset(label: label).decode(Data([0xA4, 0xA2]))))
    }

    @Test func `an error names the encoding`() {
        #expect(Charset.name(of: .utf8) == "\(String.Encoding.utf8)")
        #expect(Charset.name(of: Charset(label: "gbk").encoding) == "gb18030")
        #expect(Charset.name(of: Charset(label: "Martian").encoding) == "\"martian\", which is unknown")
    }

    @Test func `the last 64 unknown labels are known to errors, and older ones forgotten`() {
        let charsets = UnknownCharsets()
        let encodings = (0..<200).map { charsets.encoding(for: "many-\($0)") }
        for (number, encoding) in encodings.enumerated() {
            #expect(
                charsets.label(of: encoding) == (number < 200 - UnknownCharsets.count ? "charset" : "many-\(number)"))
        }
        #expect(charsets.label(of: .utf8) == nil)
        #expect(charsets.label(of: String.Encoding(rawValue: 0x6000_1000)) == "charset")
    }
}
