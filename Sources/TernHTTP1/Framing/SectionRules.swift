// SPDX-License-Identifier: Apache-2.0

/// The rules for the lines of one header or trailer section.
struct SectionRules {
    /// `nil` for a trailer section, which has no status line.
    var statusLineSize: Int?
    var lineBytes: Int
    var sectionBytes: Int
    var count: Int
    var bareLineFeed: Bool

    var isTrailer: Bool { statusLineSize == nil }

    static func header(_ limits: ParsingLimits, _ leniency: ParsingLeniency) -> SectionRules {
        SectionRules(
            statusLineSize: limits.maximumStatusLineSize, lineBytes: limits.maximumFieldLineSize,
            sectionBytes: limits.maximumFieldSectionSize, count: limits.maximumFieldCount,
            bareLineFeed: leniency.contains(.bareLineFeedInHead))
    }

    static func trailer(_ limits: ParsingLimits) -> SectionRules {
        SectionRules(
            statusLineSize: nil, lineBytes: limits.maximumFieldLineSize,
            sectionBytes: limits.maximumTrailerSectionSize, count: limits.maximumTrailerCount, bareLineFeed: false)
    }

    var countReason: HTTPProtocolError.Limit { isTrailer ? .trailerCount : .fieldCount }

    /// The maximum length of a line that begins `used` bytes into the section, and the limit it comes from.
    func lineLimit(used: Int) -> (bytes: Int, reason: HTTPProtocolError.Limit) {
        let left = max(0, sectionBytes &- used &- 2)
        if lineBytes <= left { return (lineBytes, .fieldLineSize) }
        return (left, isTrailer ? .trailerSectionSize : .fieldSectionSize)
    }
}
