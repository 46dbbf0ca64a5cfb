// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "TestedClient",
    products: [.library(name: "WeatherClient", targets: ["WeatherClient"])],
    dependencies: [
        // In a package of your own: .package(url: "https://github.com/tern-http/tern", .upToNextMinor(from: "0.2.0"))
        .package(name: "tern", path: "../..")
    ],
    targets: [
        .target(name: "WeatherClient", dependencies: [.product(name: "TernEngine", package: "tern")]),
        .testTarget(
            name: "WeatherClientTests",
            dependencies: ["WeatherClient", .product(name: "TernTesting", package: "tern")]),
    ]
)
