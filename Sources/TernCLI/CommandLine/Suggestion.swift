// SPDX-License-Identifier: Apache-2.0

/// Finds the word that was meant, for options, commands and categories.
enum Suggestion {
    /// The known word that is nearly the typed one, or of which the typed one is a part; nil if none is near.
    static func nearest(to word: String, among known: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let typed = Array(word.utf8)
        // A letter in five, and two that are swapped count as one.
        let limit = max(1, typed.count / 4)
        if let near = best(known.map { ($0, distance(from: typed, to: Array($0.utf8))) }, limit) { return near }
        guard typed.count >= 4 else { return nil }
        // "retries" for "retry": the same beginning, with another end.
        let akin = known.filter { $0.utf8.prefix(4).elementsEqual(typed.prefix(4)) }
        if let near = best(akin.map { ($0, distance(from: typed, to: Array($0.utf8))) }, 3) { return near }
        // "timeout" for "connect-timeout".
        return known.filter { $0.hasPrefix(word) || $0.hasSuffix("-" + word) }
            .min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    private static func best(_ words: [(word: String, distance: Int)], _ limit: Int) -> String? {
        words.filter { $0.distance <= limit }.min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    }

    /// The number of letters to insert, remove, replace or swap with the next one (Levenshtein and Damerau).
    private static func distance(from one: [UInt8], to other: [UInt8]) -> Int {
        var (older, old) = ([Int](), Array(0...other.count))
        for (index, letter) in one.enumerated() {
            var row = [index + 1]
            for column in other.indices {
                var least = min(old[column] + (other[column] == letter ? 0 : 1), old[column + 1] + 1, row[column] + 1)
                if index > 0, column > 0, one[index - 1] == other[column], letter == other[column - 1] {
                    least = min(least, older[column - 1] + 1)
                }
                row.append(least)
            }
            (older, old) = (old, row)
        }
        return old[other.count]
    }
}
