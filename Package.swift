// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "tern",
    products: [
        .library(name: "Tern", targets: ["Tern"]),
        .library(name: "TernEngine", targets: ["TernEngine"]),
        .library(name: "TernTesting", targets: ["TernTesting"]),
        .executable(name: "tern", targets: ["TernCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
    ],
    targets: [
        // Kernel headers that Glibc's module leaves out.
        .target(name: "CTernLinux"),
        // OpenSSL's module map, and its macros as functions.
        .systemLibrary(name: "CTernOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

        // RFC 9112 as values: bytes to messages and back. No I/O.
        .target(name: "TernHTTP1", swiftSettings: settings),
        // One thread, one epoll: descriptors, readiness, deadlines, resolving, connecting.
        .target(name: "TernIO", dependencies: ["CTernLinux"], swiftSettings: settings),
        // OpenSSL as a sans-IO engine, and trust.
        .target(name: "TernTLS", dependencies: ["CTernOpenSSL"], swiftSettings: settings),
        // The client: sessions, tasks, pool, connections.
        .target(name: "TernEngine", dependencies: ["TernHTTP1", "TernIO", "TernTLS"], swiftSettings: settings),
        // The Alamofire-shaped API.
        .target(name: "Tern", dependencies: ["TernEngine"], swiftSettings: settings),
        // A scripted origin and a throw-away certificate authority, for tests.
        .target(name: "TernTesting", dependencies: ["CTernOpenSSL"], swiftSettings: settings),
        // The command `tern`.
        .executableTarget(
            name: "TernCLI",
            dependencies: [
                "Tern", "TernTesting", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),

        .testTarget(name: "TernHTTP1Tests", dependencies: ["TernHTTP1"], swiftSettings: settings),
        .testTarget(name: "TernIOTests", dependencies: ["TernIO"], swiftSettings: settings),
        .testTarget(name: "TernTLSTests", dependencies: ["TernTLS", "TernTesting"], swiftSettings: settings),
        .testTarget(name: "TernTestingTests", dependencies: ["TernTesting"], swiftSettings: settings),
        .testTarget(name: "TernEngineTests", dependencies: ["TernEngine", "TernTesting"], swiftSettings: settings),
        .testTarget(name: "TernTests", dependencies: ["Tern", "TernTesting"], swiftSettings: settings),
        // Real servers: nginx, openssl s_server, the tern command itself.
        .testTarget(
            name: "TernInteropTests", dependencies: ["Tern", "TernCLI", "TernTesting"], swiftSettings: settings),
    ]
)
