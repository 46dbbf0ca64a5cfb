// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension HeaderFields {
    /// Foundation's view of a header section: names as first written, the values of repeats joined with a comma,
    /// whatever the case of their names.
    var dictionary: [String: String] {
        var spellings: [String: String] = [:]
        var values: [String: String] = [:]
        for field in self {
            let name = spellings[field.name.lowercased()] ?? field.name
            spellings[field.name.lowercased()] = name
            values[name] = values[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return values
    }
}
