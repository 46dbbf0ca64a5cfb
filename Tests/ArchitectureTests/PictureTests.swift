// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What a picture says can be read: no text stands on a bar, on another text or beyond the edge.
@Suite struct PictureTests {
    @Test(arguments: ["speed.svg", "speed-all.svg"])
    func `no text of a picture of the documentation overlaps anything`(_ name: String) throws {
        let file = Page.root.appending(path: "Sources/Tern/Tern.docc/Resources/\(name)")
        let picture = try Picture(try String(contentsOf: file, encoding: .utf8))
        #expect(picture.texts.count > 10)
        #expect(picture.collisions == [])
    }

    @Test func `a name that runs into its bar is found, and one that runs out of the picture`() throws {
        let picture = try Picture(
            """
            <svg width="300" height="40" font-size="13">
            <rect width="100%" height="100%" fill="white"/>
            <text x="8.0" y="14.0" font-weight="normal">a name that is long</text><rect x="100" y="3.0" \
            width="9.2" height="14" fill="#b8b8b8"/>
            <text x="250" y="34.0" font-weight="bold">1.00 &amp; more</text>
            </svg>
            """)
        #expect(picture.collisions.count == 2)
    }
}

/// A drawing in SVG, as the boxes of its texts and bars.
private struct Picture {
    struct Box {
        let text: String
        let (x, y): (Range<Double>, Range<Double>)

        func overlaps(_ other: Box) -> Bool { x.overlaps(other.x) && y.overlaps(other.y) }
    }

    private(set) var texts: [Box] = []
    private var bars: [Box] = []
    private let (width, height): (Double, Double)

    init(_ svg: String) throws {
        let size = try #require(svg.firstMatch(of: /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/))
        (width, height) = (try Self.number(size.1), try Self.number(size.2))
        for match in svg.matches(of: /<text x="([\d.]+)" y="([\d.]+)" font-weight="(\w+)">([^<]*)<\/text>/) {
            let text = String(match.4.replacing(/&\w+;/, with: "&"))
            // At 13 points, wider than usual fonts without serifs draw it on average.
            let advance = match.3 == "bold" ? 8.0 : 7.4
            let (x, y) = (try Self.number(match.1), try Self.number(match.2))
            texts.append(Box(text: text, x: x..<x + Double(text.count) * advance, y: y - 11..<y + 3))
        }
        for match in svg.matches(of: /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/) {
            let (x, y) = (try Self.number(match.1), try Self.number(match.2))
            let (width, height) = (try Self.number(match.3), try Self.number(match.4))
            bars.append(Box(text: "a bar", x: x..<x + width, y: y..<y + height))
        }
    }

    private static func number(_ text: Substring) throws -> Double { try #require(Double(text)) }

    var collisions: [String] {
        texts.enumerated().flatMap { index, text in
            let others = (texts[..<index] + bars).filter(text.overlaps).map { "\(text.text): on \($0.text)" }
            let isOutside = text.x.upperBound > width || text.y.lowerBound < 0 || text.y.upperBound > height
            return others + (isOutside ? ["\(text.text): beyond the edge"] : [])
        }
    }
}
