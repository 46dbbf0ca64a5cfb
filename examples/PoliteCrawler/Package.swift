// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PoliteCrawler",
    dependencies: [
        // In a package of your own: .package(url: "https://github.com/tern-http/tern", .upToNextMinor(from: "0.2.0"))
        .package(name: "tern", path: "../..")
    ],
    targets: [
        .target(name: "PageCrawler", dependencies: [.product(name: "TernEngine", package: "tern")]),
        .executableTarget(name: "PoliteCrawler", dependencies: ["PageCrawler"]),
        .testTarget(
            name: "PageCrawlerTests",
            dependencies: ["PageCrawler", .product(name: "TernTesting", package: "tern")]),
    ]
)
