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

// A package of its own, so that packages that link Tern do not resolve its peers.
let package = Package(
    name: "tern-benchmarks",
    products: [
        .executable(name: "tern-bench", targets: ["tern-bench"]),
        // Loaded before the C library by the programs that count; no other pays for it.
        .library(name: "CAllocations", type: .dynamic, targets: ["CAllocations"]),
    ],
    dependencies: [
        .package(name: "tern", path: "..", traits: ["Brotli", "Zstd"]),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        // libcurl's module map; the flags come from pkg-config.
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // libcurl's multi interface, and what all clients share: the clock, the latency buckets, loopback's ports.
        .target(name: "CCurlMulti", dependencies: ["CLibcurl"], cSettings: [.define("_GNU_SOURCE")]),
        // A server of WebSockets, and the least that a client does.
        .target(
            name: "CWebSocket", dependencies: ["CCurlMulti"], cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [.linkedLibrary("crypto")]),
        // http_parser as a client would use it; loaded at run time.
        .target(name: "CHTTPParser"),
        // The libraries of codings alone, and what is coded with them beforehand.
        .target(name: "CCoding", linkerSettings: ["z", "brotlienc", "brotlidec", "zstd"].map { .linkedLibrary($0) }),
        // Counts the allocations of the process.
        .target(name: "CAllocations"),
        // The comparisons, and every client.
        .executableTarget(
            name: "tern-bench",
            dependencies: [
                "CCoding", "CCurlMulti", "CHTTPParser", "CWebSocket",
                .product(name: "Tern", package: "tern"),
                .product(name: "TernEngine", package: "tern"),
                .product(name: "TernHTTP1", package: "tern"),
                .product(name: "TernTesting", package: "tern"),
                .product(name: "TernWebSocket", package: "tern"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
    ]
)
