// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "JSONClient",
    dependencies: [
        // In a package of your own: .package(url: "https://github.com/tern-http/tern", .upToNextMinor(from: "0.2.0"))
        .package(name: "tern", path: "../..")
    ],
    targets: [
        .executableTarget(name: "JSONClient", dependencies: [.product(name: "TernEngine", package: "tern")])
    ]
)
