// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "JSONClient",
    dependencies: [
        // In a package of your own: .package(url: "https://github.com/tern-http/tern", from: "0.2.0", traits: [])
        .package(name: "tern", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(name: "JSONClient", dependencies: [.product(name: "Tern", package: "tern")])
    ]
)
