// swift-tools-version: 6.2
import PackageDescription

// As an application links Tern: by its public API, from a package of its own.
let package = Package(
    name: "plain",
    dependencies: [.package(name: "tern", path: "../../..")],
    targets: [
        .executableTarget(
            name: "plain",
            dependencies: [
                .product(name: "Tern", package: "tern"), .product(name: "TernRuntime", package: "tern"),
            ])
    ]
)
