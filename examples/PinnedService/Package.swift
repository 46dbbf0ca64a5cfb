// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PinnedService",
    dependencies: [
        // In a package of your own: .package(url: "https://github.com/tern-http/tern", .upToNextMinor(from: "0.2.0"))
        .package(name: "tern", path: "../..")
    ],
    targets: [
        .target(name: "PriceService", dependencies: [.product(name: "TernEngine", package: "tern")]),
        .executableTarget(
            name: "PinnedService", dependencies: ["PriceService", .product(name: "TernRuntime", package: "tern")]),
        .testTarget(
            name: "PriceServiceTests",
            dependencies: ["PriceService", .product(name: "TernTesting", package: "tern")]),
    ]
)
