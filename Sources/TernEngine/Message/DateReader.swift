// SPDX-License-Identifier: Apache-2.0

/// Reads dates as servers and users write them, by the rules of curl_getdate(3): a day, the name of a month, a year,
/// perhaps a time, a zone and the day of the week, in any order and any case; also `20261231` and dates of ISO 8601.
/// Without a zone a date is in GMT, and a comment in parentheses is skipped.
///
/// What could mean two dates is none: `5/9/2017`, a second day or year, a zone whose name means several.
struct DateReader {
    /// The most bytes of a date: each word costs work, and a peer chooses how many there are.
    static let maximumLength = 128
    /// The most words of a date.
    private static let maximumCount = 7

    private var (year, month, day): (Int64?, Int64?, Int64?)
    /// Whether the year has two digits at most.
    private var isYearShort = false
    private var time: (hour: Int64, minute: Int64, second: Int64)?
    /// In minutes to the east.
    private var zone: Int64?
    private var hasWeekday = false
    private var rest: ArraySlice<UInt8>

    /// - Parameter now: the time by which a year of two digits is read, in seconds since 1970-01-01T00:00:00Z.
    /// - Returns: seconds since 1970-01-01T00:00:00Z; nil for what is no date.
    static func seconds(_ text: String, now: () -> Int64) -> Int64? {
        if text.utf8.count > maximumLength { return nil }
        var reader = DateReader(rest: Array(text.utf8)[...])
        return reader.read() ? reader.seconds(now: now) : nil
    }

    private init(rest: ArraySlice<UInt8>) { self.rest = rest }

    private mutating func read() -> Bool {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        var (count, before) = (takeDayOfISO() ? 1 : 0, UInt8(0))
        while let byte = rest.first {
            let isWord = Self.isLetter(byte)
            if isWord || Self.isDigit(byte) {
                count += 1
                guard count <= Self.maximumCount, isWord ? takeWord() : takeNumber(after: before) else { return false }
                before = 0
            } else if byte == UInt8(ascii: "(") {
                rest = rest.drop { $0 != UInt8(ascii: ")") }
            } else {
                before = byte
                rest = rest.dropFirst()
            }
        }
        return true
    }

    private func seconds(now: () -> Int64) -> Int64? {
        guard let year, let month, let day else { return nil }
        let time = time ?? (0, 0, 0)
        let fields = { (year: Int64) in
            HTTPDate.Parts(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
        }
        let parts = isYearShort ? HTTPDate.parts(inShortYear: year, now: now(), fields) : fields(year)
        return parts.map { $0.seconds - (zone ?? 0) * 60 }
    }

    /// Takes `2026-12-31` at the beginning.
    private mutating func takeDayOfISO() -> Bool {
        let word = Array(rest.prefix { Self.isDigit($0) || $0 == UInt8(ascii: "-") })
        let parts = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let year = Self.number(parts[0]), let month = Self.number(parts[1]),
            let day = Self.number(parts[2])
        else { return false }
        rest = rest.dropFirst(word.count)
        (self.year, self.month, self.day) = (year, month, day)
        takeTimeOfISO()
        return true
    }

    /// Takes the `T` behind a date of ISO 8601, and a time without colons, `T184957`.
    private mutating func takeTimeOfISO() {
        guard let mark = rest.first, mark | 0x20 == UInt8(ascii: "t") else { return }
        rest = rest.dropFirst()
        let digits = rest.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ":") }
        guard time == nil, digits.count == 4 || digits.count == 6, let number = Self.number(digits) else { return }
        rest = rest.dropFirst(digits.count)
        let whole = digits.count == 4 ? number * 100 : number
        time = (whole / 10_000, whole / 100 % 100, whole % 100)
        dropFraction()
    }

    /// Takes the name of a day, a month or a zone.
    private mutating func takeWord() -> Bool {
        let letters = rest.prefix(while: Self.isLetter)
        rest = rest.dropFirst(letters.count)
        let word = String(decoding: letters, as: UTF8.self).lowercased()
        if !hasWeekday, Self.isName(word, among: Self.weekdays) != nil {
            hasWeekday = true
        } else if month == nil, let index = word == "sept" ? 8 : Self.isName(word, among: Self.months) {
            month = Int64(index) + 1
        } else if zone == nil, let found = Self.zones[word] {
            zone = found
            // `GMT+0200`, as JavaScript writes it, is two hours east of GMT.
            if found == 0, let sign = rest.first, Self.isSign(sign) { zone = nil }
        } else {
            return false
        }
        return true
    }

    private mutating func takeNumber(after before: UInt8) -> Bool {
        let word = rest.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ":") }
        rest = rest.dropFirst(word.count)
        if word.contains(UInt8(ascii: ":")) { return takeTime(word, after: before) }
        guard word.count <= 8, let number = Self.number(word) else { return false }
        if Self.isSign(before), time != nil, zone == nil, word.count == 4, number <= 1400 {
            zone = (number / 100 * 60 + number % 100) * (before == UInt8(ascii: "-") ? -1 : 1)
        } else if Self.isSign(before), time != nil, zone == nil, year != nil, day != nil, word.count == 2, number <= 14
        {
            zone = number * 60 * (before == UInt8(ascii: "-") ? -1 : 1)
        } else if word.count == 8 {
            guard year == nil, month == nil, day == nil else { return false }
            (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
            takeTimeOfISO()
        } else if day == nil, (1...31).contains(number), word.count <= 2 {
            day = number
        } else if year == nil {
            (year, isYearShort) = (number, word.count <= 2)
        } else {
            return false
        }
        return true
    }

    /// `08:49` or `08:49:37`, or the zone `+01:00` of ISO 8601.
    private mutating func takeTime(_ word: ArraySlice<UInt8>, after before: UInt8) -> Bool {
        let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 2 ? Self.number($0) : nil }
        guard numbers.count == parts.count, (2...3).contains(numbers.count) else { return false }
        if time == nil {
            time = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
            dropFraction()
            return true
        }
        guard zone == nil, numbers.count == 2, numbers[0] <= 14, numbers[1] < 60, Self.isSign(before) else {
            return false
        }
        zone = (numbers[0] * 60 + numbers[1]) * (before == UInt8(ascii: "-") ? -1 : 1)
        return true
    }

    /// The fraction of a second behind a time, `.123`.
    private mutating func dropFraction() {
        let digits = rest.dropFirst().prefix(while: Self.isDigit)
        if rest.first == UInt8(ascii: "."), !digits.isEmpty { rest = rest[digits.endIndex...] }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.isEmpty || !digits.allSatisfy(isDigit) ? nil : Int64(String(decoding: digits, as: UTF8.self))
    }

    /// The place of a whole name, or of the first three letters of one.
    private static func isName(_ word: String, among names: [String]) -> Int? {
        word.utf8.count < 3 ? nil : names.firstIndex { $0 == word || $0.prefix(3) == word }
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    /// In minutes to the east: the zones of RFC 822 §5, and what curl knows and has one meaning today.
    private static let zones: [String: Int64] = [
        "gmt": 0, "ut": 0, "utc": 0, "wet": 0, "z": 0, "bst": 60, "west": 60, "cet": 60, "met": 60, "mez": 60,
        "cest": 120, "mest": 120, "mesz": 120, "eet": 120, "eest": 180, "msk": 180, "jst": 540, "kst": 540,
        "aest": 600, "aedt": 660, "nzt": 720, "nzst": 720, "nzdt": 780, "ast": -240, "adt": -180, "est": -300,
        "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "akst": -540,
        "akdt": -480, "hst": -600,
    ]
}
