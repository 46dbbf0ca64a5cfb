// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MovedFromURLSession",
    dependencies: [
        // In a package of your own: .package(url: "https://github.com/tern-http/tern", .upToNextMinor(from: "0.2.0"))
        .package(name: "tern", path: "../..")
    ],
    targets: [
        .target(name: "Uploader", dependencies: [.product(name: "TernURLSession", package: "tern")]),
        .testTarget(
            name: "UploaderTests", dependencies: ["Uploader", .product(name: "TernTesting", package: "tern")]),
    ]
)
