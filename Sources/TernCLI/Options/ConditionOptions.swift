// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernEngine
import TernFiles

/// The conditions of requests (RFC 9110 §13), with curl's option names.
struct ConditionOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-z", "--time-cond", as: "date or file", dashed: true,
                help: """
                    Request only what has changed since this date, or since this file did; with "-" before it, only what has \
                    not. What has not changed leaves the file of -o as it is.
                    """
            ) { $0.time = $1.text },
            .value(
                "--etag-save", as: "file",
                help:
                    "Write the response's ETag to this file, which is emptied if there is none; \"-\" is standard output."
            ) { $0.savedTag = $1.text },
            .value(
                "--etag-compare", as: "file",
                help:
                    "Request only what has another ETag than the one in this file; none is in a file that does not exist."
            ) { $0.comparedTag = $1.text })
    }

    var time: String?
    var savedTag: String?
    var comparedTag: String?

    /// The files it reads.
    var inputs: [String] { comparedTag.map { [$0] } ?? [] }

    func validate() throws {
        if savedTag?.isEmpty == true { throw UsageError("--etag-save: the file name is empty") }
    }

    /// The condition of `-z`; nil for none. As in curl, anything but a date or a file is reported and ignored.
    func timeCondition(isSilent: Bool) -> TimeCondition? {
        guard let time else { return nil }
        if let condition = TimeCondition(argument: time) { return condition }
        if !isSilent {
            StandardStreams.tell("tern: -z: \"\(time.prefix(200))\" is no date and no file: no condition is sent")
        }
        return nil
    }

    /// The value of `If-None-Match`; nil for none.
    func entityTag(isSilent: Bool) throws -> String? {
        guard let comparedTag else { return nil }
        do throws(InputError) {
            let content = try InputFile.contents(of: comparedTag)
            let tag = ByteText.text(of: content.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 })
            return tag.isEmpty ? "\"\"" : tag
        } catch {
            guard error.number == ENOENT else { throw CommandFailure(.unreadable, "--etag-compare: \(error)") }
            if !isSilent { StandardStreams.tell("tern: --etag-compare: \(error)") }
            return "\"\""
        }
    }
}

// The tag of the response
extension ConditionOptions {
    /// A file has the tag of one response.
    func check(hasSeveralURLs: Bool) throws {
        if hasSeveralURLs, let option = savedTag != nil ? "--etag-save" : comparedTag != nil ? "--etag-compare" : nil {
            throw UsageError("\(option): the file has one tag: give one URL")
        }
    }

    /// What cannot be written later is reported before anything is sent.
    ///
    /// - Parameter path: the output of the body.
    func check(_ path: String?) throws {
        guard let savedTag else { return }
        do throws(OutputError) {
            _ = try BodySink(path: savedTag)
        } catch {
            throw CommandFailure(.unwritable, "--etag-save: \(error)")
        }
        guard let file = OutputOptions.file(savedTag) else { return }
        if path.flatMap(OutputOptions.file) == file {
            throw UsageError("-o and --etag-save both write to \(savedTag): give two files")
        }
    }

    /// Writes the tag of a success. A 304 without one, or another status, leaves the file as it is: it says nothing of
    /// the tag that is known.
    func saveTag(of response: HTTPURLResponse) throws {
        guard let savedTag, (200..<300).contains(response.statusCode) || response.statusCode == 304 else { return }
        let tag = response.head.bytes(for: "ETag").first ?? []
        if tag.isEmpty, response.statusCode == 304 { return }
        do {
            let sink = try BodySink(path: savedTag)
            _ = try sink.open()
            if !tag.isEmpty { try sink.write(Data(tag + [0x0A])) }
            try sink.finish()
        } catch let error as StandardStreams.WriteError {
            throw error
        } catch {
            throw CommandFailure(.unwritable, "--etag-save: \(error)")
        }
    }
}

/// The argument of `-z`: a date, and whether a response is wanted that is newer or not.
struct TimeCondition: Equatable {
    /// In seconds since 1970-01-01T00:00:00Z.
    let seconds: Int64
    /// The same as fields have it.
    let date: String
    let isUnmodified: Bool

    /// Nil for what is neither a date nor a file.
    init?(argument: String) {
        let sign = argument.utf8.first
        isUnmodified = sign == UInt8(ascii: "-")
        let text = isUnmodified || sign == UInt8(ascii: "+") ? String(argument.unicodeScalars.dropFirst()) : argument
        guard let seconds = DateArgument.seconds(text) ?? Self.modificationTime(of: text),
            let date = HTTPDate.text(seconds)
        else { return nil }
        (self.seconds, self.date) = (seconds, date)
    }

    /// The field that carries it.
    var fieldName: String { isUnmodified ? "If-Unmodified-Since" : "If-Modified-Since" }

    /// Whether the response is wanted: a server may ignore the condition, and say nevertheless when its file has changed.
    func isMet(by response: HTTPURLResponse) -> Bool {
        guard let changed = response.value(forHTTPHeaderField: "Last-Modified").flatMap(HTTPDate.seconds) else {
            return true
        }
        return isUnmodified ? changed < seconds : changed > seconds
    }

    private static func modificationTime(of path: String) -> Int64? {
        path.isEmpty || path.utf8.contains(0) ? nil : FileStatus(of: path)?.modificationTime
    }
}

/// A date as users type it, by the rules of curl_getdate(3): a day, a month's name, a year, perhaps a time, a zone and the
/// day of the week, in any order; also `20261231`, and dates of ISO 8601. Without a zone it is in GMT.
enum DateArgument {
    /// The most words of a date.
    private static let maximumCount = 6
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// In minutes to the east.
    private static let zones: [String: Int64] = [
        "gmt": 0, "ut": 0, "utc": 0, "wet": 0, "z": 0, "bst": 60, "cet": 60, "met": 60, "mez": 60, "west": 60,
        "cest": 120, "mest": 120, "eet": 120, "eest": 180, "jst": 540, "est": -300, "edt": -240, "cst": -360,
        "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
    ]

    private struct Found {
        var (year, month, day): (Int64?, Int64?, Int64?)
        var time: (hour: Int64, minute: Int64, second: Int64)?
        /// In minutes to the east.
        var zone: Int64?
        var hasWeekday = false
    }

    /// Seconds since 1970-01-01T00:00:00Z; nil for what is no date.
    static func seconds(_ text: String) -> Int64? {
        var (found, rest, count, before) = (Found(), Array(text.utf8)[...], 0, UInt8(0))
        if let date = dayOfISO(&rest) {
            (found.year, found.month, found.day) = date
            count = 1
        }
        while let byte = rest.first {
            let word = rest.prefix(while: isLetter)
            if !word.isEmpty {
                rest = rest.dropFirst(word.count)
                guard take(String(decoding: word, as: UTF8.self).lowercased(), &found) else { return nil }
                count += 1
            } else if isDigit(byte) {
                let number = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ":") }
                rest = rest.dropFirst(number.count)
                guard take(number, after: before, &found) else { return nil }
                count += 1
            } else {
                before = byte
                rest = rest.dropFirst()
                continue
            }
            before = 0
            if count > maximumCount { return nil }
        }
        return seconds(found)
    }

    private static func seconds(_ found: Found) -> Int64? {
        guard let year = found.year, let month = found.month, let day = found.day else { return nil }
        let time = found.time ?? (0, 0, 0)
        let parts = HTTPDate.Parts(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
        return parts.map { $0.seconds - (found.zone ?? 0) * 60 }
    }

    /// Takes `2026-12-31`, and a `T` behind it.
    private static func dayOfISO(_ text: inout ArraySlice<UInt8>) -> (Int64, Int64, Int64)? {
        let word = Array(text.prefix { isDigit($0) || $0 == UInt8(ascii: "-") })
        let parts = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let year = number(parts[0]), let month = number(parts[1]),
            let day = number(parts[2])
        else { return nil }
        text = text.dropFirst(word.count)
        if let mark = text.first, mark | 0x20 == UInt8(ascii: "t") { text = text.dropFirst() }
        return (year, month, day)
    }

    private static func take(_ word: String, _ found: inout Found) -> Bool {
        if !found.hasWeekday, word.count >= 3, weekdays.contains(where: { $0 == word || $0.prefix(3) == word }) {
            found.hasWeekday = true
        } else if found.month == nil, let index = months.firstIndex(of: word) {
            found.month = Int64(index) + 1
        } else if found.zone == nil, let zone = zones[word] {
            found.zone = zone
        } else {
            return false
        }
        return true
    }

    private static func take(_ word: ArraySlice<UInt8>, after before: UInt8, _ found: inout Found) -> Bool {
        if word.contains(UInt8(ascii: ":")) { return takeTime(word, after: before, &found) }
        guard word.count <= 8, let number = number(word) else { return false }
        let isSigned = before == UInt8(ascii: "+") || before == UInt8(ascii: "-")
        if isSigned, word.count == 4, found.time != nil, found.zone == nil, number <= 1400 {
            found.zone = (number / 100 * 60 + number % 100) * (before == UInt8(ascii: "-") ? -1 : 1)
        } else if word.count == 8 {
            guard found.year == nil, found.month == nil, found.day == nil else { return false }
            (found.year, found.month, found.day) = (number / 10_000, number / 100 % 100, number % 100)
        } else if found.day == nil, (1...31).contains(number), word.count <= 2 {
            found.day = number
        } else if found.year == nil {
            found.year = number < 100 ? number + (number > 70 ? 1900 : 2000) : number
        } else {
            return false
        }
        return true
    }

    /// `08:49` or `08:49:37`, or the zone `+01:00` of ISO 8601.
    private static func takeTime(_ word: ArraySlice<UInt8>, after before: UInt8, _ found: inout Found) -> Bool {
        let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 2 ? number($0) : nil }
        guard numbers.count == parts.count, (2...3).contains(numbers.count) else { return false }
        if found.time == nil {
            found.time = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
            return true
        }
        guard found.zone == nil, numbers.count == 2, numbers[0] <= 14, numbers[1] < 60,
            before == UInt8(ascii: "+") || before == UInt8(ascii: "-")
        else { return false }
        found.zone = (numbers[0] * 60 + numbers[1]) * (before == UInt8(ascii: "-") ? -1 : 1)
        return true
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.isEmpty || !digits.allSatisfy(isDigit) ? nil : Int64(String(decoding: digits, as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
