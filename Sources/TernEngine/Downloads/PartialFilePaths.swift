// SPDX-License-Identifier: Apache-2.0

/// The names of partial files and their resume data.
struct PartialFilePaths {
    private static let ending = ".tern-part"
    private static let noteEnding = ".json"
    private static let temporaryBeginning = "tern-download-"
    private static let temporaryEnding = ".tmp"

    /// The partial file beside the target: `.name.tern-part`.
    let file: String
    /// Its resume data: `.name.tern-part.json`.
    var notes: String { Self.notes(beside: file) }

    init(target: String) {
        let (folder, name) = Self.split(target)
        file = folder + "." + Self.fitting(name) + Self.ending
    }

    static func notes(beside file: String) -> String { file + noteEnding }

    /// The target's name for a resume data file of this name; nil for any other name, and for one that was truncated.
    static func target(ofNotes name: String) -> String? {
        let ending = ending + noteEnding
        guard name.hasPrefix("."), name.hasSuffix(ending) else { return nil }
        let target = String(name.dropFirst().dropLast(ending.count))
        return isCut(target) ? nil : target
    }

    /// A name that cannot be guessed.
    static func temporary(in folder: String) -> String {
        (folder.hasSuffix("/") ? folder : folder + "/") + temporaryBeginning
            + String(UInt64.random(in: .min ... .max), radix: 36) + temporaryEnding
    }

    /// Whether a download would choose this path: absolute, normalised, and with a name of this form.
    static func areThoseOf(_ path: String) -> Bool {
        let components = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard components.count >= 2, components[0].isEmpty, path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            components.dropFirst().allSatisfy({
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            })
        else { return false }
        let name = split(path).name
        return name.hasPrefix(".") && name.hasSuffix(ending) && name.utf8.count > ending.utf8.count + 1
            || name.hasPrefix(temporaryBeginning) && name.hasSuffix(temporaryEnding)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return (String(path[..<cut]), String(path[cut...]))
    }

    /// A name that would be too long with the suffix is truncated, and distinguished from other truncated names by a
    /// number.
    private static func fitting(_ name: String) -> String {
        if name.utf8.count <= room { return name }
        // FNV-1a: the same in every process.
        let number = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let mark = "~" + String(number, radix: 36)
        return FileName.prefix(name[...], room - mark.utf8.count) + mark
    }

    /// Whether `fitting` may have made it; it leaves less room than a character takes.
    private static func isCut(_ name: String) -> Bool {
        guard name.utf8.count > room - 4, let mark = name.lastIndex(of: "~") else { return false }
        return UInt64(name[mark...].dropFirst(), radix: 36) != nil
    }

    /// The maximum length of a name, in bytes.
    private static var room: Int { FileName.longest - 1 - ending.utf8.count - noteEnding.utf8.count }
}
