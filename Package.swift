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

// Products of other packages, each for those who turn its trait on.
let httpTypes = product("HTTPTypes", of: "swift-http-types", for: "HTTPTypes")
let inMemoryTracing = product("InMemoryTracing", of: "swift-distributed-tracing", for: "Tracing")
let logging = product("Logging", of: "swift-log", for: "Logging")
let metrics = product("Metrics", of: "swift-metrics", for: "Metrics")
let metricsTestKit = product("MetricsTestKit", of: "swift-metrics", for: "Metrics")
let tracing = product("Tracing", of: "swift-distributed-tracing", for: "Tracing")

// Libraries of the system, each for those who turn its trait on.
let brotli = Target.Dependency.target(name: "CTernBrotli", condition: .when(traits: ["Brotli"]))
let zstd = Target.Dependency.target(name: "CTernZstd", condition: .when(traits: ["Zstd"]))

func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let package = Package(
    name: "tern",
    products: [
        .library(name: "Tern", targets: ["Tern"]),
        .library(name: "TernAFNetworking", targets: ["TernAFNetworking"]),
        .library(name: "TernAlamofire", targets: ["TernAlamofire"]),
        .library(name: "TernEngine", targets: ["TernEngine"]),
        .library(name: "TernHTTP1", targets: ["TernHTTP1"]),
        .library(name: "TernHTTPTypes", targets: ["TernHTTPTypes"]),
        .library(name: "TernLogging", targets: ["TernLogging"]),
        .library(name: "TernMetrics", targets: ["TernMetrics"]),
        .library(name: "TernRuntime", targets: ["TernRuntime"]),
        .library(name: "TernTesting", targets: ["TernTesting"]),
        .library(name: "TernTracing", targets: ["TernTracing"]),
        .library(name: "TernURLSession", targets: ["TernURLSession"]),
        .library(name: "TernWebSocket", targets: ["TernWebSocket"]),
        .executable(name: "tern", targets: ["TernMain"]),
    ],
    // All off by default: without them, no package is resolved, and neither libbrotli nor libzstd is looked for.
    traits: [
        .trait(name: "Brotli", description: "TernEngine: the content coding br, by libbrotli"),
        .trait(name: "HTTPTypes", description: "TernHTTPTypes: requests and responses of swift-http-types"),
        .trait(name: "Logging", description: "TernLogging: lines for swift-log"),
        .trait(name: "Metrics", description: "TernMetrics: figures for swift-metrics"),
        .trait(name: "Tracing", description: "TernTracing: spans for swift-distributed-tracing"),
        .trait(name: "Zstd", description: "TernEngine: the content coding zstd, by libzstd"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.6.0"),
    ],
    targets: [
        // brotli's module map.
        .systemLibrary(name: "CTernBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        // Kernel headers that Glibc's module leaves out.
        .target(name: "CTernLinux"),
        // OpenSSL's module map, and its macros as functions.
        .systemLibrary(name: "CTernOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // The hooks of the concurrency runtime.
        .target(name: "CTernRuntime"),
        // zlib's module map, and its macros as functions.
        .systemLibrary(name: "CTernZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // zstd's module map.
        .systemLibrary(name: "CTernZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

        // The C library: Glibc, or Musl.
        .target(name: "TernLibC", swiftSettings: settings),
        // A value behind a lock that ThreadSanitizer understands.
        .target(name: "TernLock", dependencies: ["TernLibC"], swiftSettings: settings),
        // RFC 9112 as values: bytes to messages and back. No I/O.
        .target(name: "TernHTTP1", swiftSettings: settings),
        // System calls, the descriptors they take and the errors they leave.
        .target(name: "TernSystem", dependencies: ["CTernLinux", "TernLibC"], swiftSettings: settings),
        // Files that are complete or absent: temporary names, atomic renames, locks, attributes, space.
        .target(name: "TernFiles", dependencies: ["CTernLinux", "TernLibC", "TernSystem"], swiftSettings: settings),
        // One thread, one epoll: readiness, deadlines, resolving, connecting.
        .target(
            name: "TernIO", dependencies: ["CTernLinux", "TernLibC", "TernLock", "TernSystem"], swiftSettings: settings),
        // OpenSSL as a sans-IO engine, and trust.
        .target(name: "TernTLS", dependencies: ["CTernOpenSSL", "TernLock", "TernSystem"], swiftSettings: settings),
        // The client: sessions, tasks, pool, connections.
        .target(
            name: "TernEngine",
            dependencies: [
                "CTernZlib", "TernFiles", "TernHTTP1", "TernIO", "TernLock", "TernSystem", "TernTLS", brotli, zstd,
            ],
            swiftSettings: settings),
        // RFC 6455 and RFC 7692 as values, and WebSockets over upgraded connections.
        .target(
            name: "TernWebSocket",
            dependencies: ["TernEngine", "TernHTTP1", "TernIO", "TernLock", "TernSystem", "TernTLS"],
            swiftSettings: settings),
        // Swift's tasks on the sessions' reactors.
        .target(
            name: "TernRuntime", dependencies: ["CTernRuntime", "TernIO", "TernLibC", "TernLock", "TernSystem"],
            swiftSettings: settings),
        // What tasks do, as lines for swift-log.
        .target(name: "TernLogging", dependencies: ["TernEngine", logging], swiftSettings: settings),
        // What tasks and connections do, as figures for swift-metrics.
        .target(name: "TernMetrics", dependencies: ["TernEngine", "TernLock", metrics], swiftSettings: settings),
        // What tasks do, as spans for swift-distributed-tracing.
        .target(name: "TernTracing", dependencies: ["TernEngine", "TernLock", tracing], swiftSettings: settings),
        // Requests and responses as the values of swift-http-types.
        .target(name: "TernHTTPTypes", dependencies: ["TernEngine", httpTypes], swiftSettings: settings),
        // What Foundation adds to the engine for every shape: its streams and errors.
        .target(name: "TernFoundation", dependencies: ["TernEngine", "TernLock"], swiftSettings: settings),
        // The Alamofire-shaped API.
        .target(
            name: "Tern", dependencies: ["TernEngine", "TernFoundation", "TernLock", "TernWebSocket"],
            swiftSettings: settings),
        // AFNetworking's session manager, security policy and reachability manager.
        .target(
            name: "TernAFNetworking", dependencies: ["Tern", "TernEngine", "TernFoundation", "TernLock"],
            swiftSettings: settings),
        // URLSession's names over the engine: its delegates on a queue, its protocol classes, its values.
        .target(
            name: "TernURLSessionNames", dependencies: ["TernEngine", "TernFoundation", "TernLock", "TernWebSocket"],
            swiftSettings: settings),
        // The same name by name, which has them take precedence over those of Foundation.
        .target(
            name: "TernURLSession", dependencies: ["TernEngine", "TernFoundation", "TernURLSessionNames"],
            swiftSettings: settings),
        // Tern, URLSession's names, and what call sites written for Alamofire 4 name otherwise.
        .target(
            name: "TernAlamofire",
            dependencies: [
                "Tern", "TernAFNetworking", "TernEngine", "TernFoundation", "TernURLSession", "TernURLSessionNames",
            ],
            swiftSettings: settings),
        // A scripted origin and a throw-away certificate authority, for tests.
        .target(name: "TernTesting", dependencies: ["CTernOpenSSL", "TernLibC", "TernLock"], swiftSettings: settings),
        // A pinned key, a refused one and a figure; and the load generator that the figure is from.
        .target(
            name: "TernDemo", dependencies: ["TernEngine", "TernLibC", "TernLock", "TernTesting"],
            swiftSettings: settings),
        // The same as a program, which needs no command line; `make demo`.
        .executableTarget(name: "TernDemoMain", dependencies: ["TernDemo", "TernLibC"], swiftSettings: settings),
        // The command `tern` as a library, so that tests reach into it.
        .target(
            name: "TernCLI",
            dependencies: [
                "TernDemo", "TernEngine", "TernFiles", "TernIO", "TernLibC", "TernLock", "TernSystem", "TernTLS",
                "TernWebSocket",
            ],
            swiftSettings: settings),
        // The command `tern` itself.
        .executableTarget(name: "TernMain", dependencies: ["TernCLI", "TernRuntime"], swiftSettings: settings),

        // Which clauses of Tests/Behaviour.md a test proves, and how often it repeats what depends on chance.
        .target(name: "TestProofs", path: "Tests/TestProofs", swiftSettings: settings),
        // Who may know whom, and how large it may be.
        .testTarget(name: "ArchitectureTests", dependencies: ["TestProofs"], swiftSettings: settings),
        .testTarget(name: "TernHTTP1Tests", dependencies: ["TernHTTP1", "TestProofs"], swiftSettings: settings),
        .testTarget(name: "TernSystemTests", dependencies: ["TernSystem", "TestProofs"], swiftSettings: settings),
        .testTarget(name: "TernFilesTests", dependencies: ["TernFiles", "TestProofs"], swiftSettings: settings),
        .testTarget(name: "TernIOTests", dependencies: ["TernIO", "TernLock", "TestProofs"], swiftSettings: settings),
        .testTarget(name: "TernLockTests", dependencies: ["TernLock", "TestProofs"], swiftSettings: settings),
        .testTarget(
            name: "TernTLSTests", dependencies: ["TernLock", "TernTLS", "TernTesting", "TestProofs"],
            swiftSettings: settings),
        // Programs that tests run, and how they are started.
        .target(name: "CTestPrograms", path: "Tests/CTestPrograms"),
        .target(
            name: "TestPrograms", dependencies: ["CTestPrograms", "TernLock"], path: "Tests/TestPrograms",
            swiftSettings: settings),
        .testTarget(
            name: "TernTestingTests", dependencies: ["TernTesting", "TestPrograms", "TestProofs"],
            swiftSettings: settings),
        // Uses the folder of a cache until it is killed.
        .executableTarget(
            name: "CacheProgram", dependencies: ["TernEngine", "TernHTTP1"], path: "Tests/CacheProgram",
            swiftSettings: settings),
        // What the tests of the engine share; a test target, for it sees what is internal.
        .testTarget(
            name: "TernEngineTestSupport",
            dependencies: ["CTernZlib", "TernEngine", "TernLock", "TernTesting", brotli, zstd],
            swiftSettings: settings),
        // The tests of the engine, of whose targets a change compiles one. Messages, and what is stored:
        .testTarget(
            name: "TernEngineMessageTests",
            dependencies: [
                "CacheProgram", "TernEngine", "TernEngineTestSupport", "TernFiles", "TernLock", "TernTesting",
                "TestPrograms", "TestProofs",
            ],
            swiftSettings: settings),
        // Connections and trust.
        .testTarget(
            name: "TernEngineConnectionTests",
            dependencies: ["TernEngine", "TernEngineTestSupport", "TernLock", "TernTesting", "TestProofs"],
            swiftSettings: settings),
        // Tasks, and the policies that steer them.
        .testTarget(
            name: "TernEngineTaskTests",
            dependencies: [
                "TernEngine", "TernEngineTestSupport", "TernFiles", "TernLock", "TernTesting", "TestProofs",
            ],
            swiftSettings: settings),
        // Sessions, and what is made of all the rest.
        .testTarget(
            name: "TernEngineSessionTests",
            dependencies: [
                "TernEngine", "TernEngineTestSupport", "TernFiles", "TernLock", "TernTesting", "TestProofs",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TernWebSocketTests",
            dependencies: [
                "CTernZlib", "TernEngine", "TernEngineTestSupport", "TernIO", "TernLock", "TernTesting",
                "TernWebSocket",
                "TestProofs",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TernFacadeTests",
            dependencies: [
                "TernEngine", "TernHTTPTypes", "TernLock", "TernLogging", "TernMetrics", "TernTesting", "TernTracing",
                "TestProofs", httpTypes, inMemoryTracing, logging, metrics, metricsTestKit, tracing,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TernTests",
            dependencies: [
                "Tern", "TernAFNetworking", "TernFoundation", "TernLock", "TernTesting", "TestPrograms", "TestProofs",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TernNamesTests",
            dependencies: [
                "TernAlamofire", "TernEngine", "TernLock", "TernTesting", "TernURLSession", "TernURLSessionNames",
                "TestProofs",
            ],
            exclude: ["URLSessionMembers/FoundationNetworking.txt", "URLSessionMembers/Same.txt"],
            swiftSettings: settings),
        // Call sites as they are written for Alamofire 4, in the language mode of their time.
        .testTarget(
            name: "TernAlamofireTests", dependencies: ["TernAlamofire", "TernTesting", "TestProofs"],
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        // Says what it is told of the network, while a test changes that.
        .executableTarget(
            name: "ReachabilityWatch", dependencies: ["TernAFNetworking"], path: "Tests/ReachabilityWatch",
            swiftSettings: settings),
        // Programs that begin with `TernRuntime.install()`, which a process cannot undo.
        .executableTarget(
            name: "RuntimeProgram", dependencies: ["CTestPrograms", "TernEngine", "TernRuntime", "TernTesting"],
            path: "Tests/RuntimeProgram", swiftSettings: settings),
        .testTarget(
            name: "TernRuntimeTests", dependencies: ["RuntimeProgram", "TestPrograms"], swiftSettings: settings),
        // Real servers: nginx, openssl s_server, the tern command itself.
        .testTarget(
            name: "TernInteropTests",
            dependencies: [
                "CTestPrograms", "ReachabilityWatch", "Tern", "TernCLI", "TernDemo", "TernEngine", "TernLock",
                "TernMain",
                "TernTesting", "TestPrograms", "TestProofs",
            ],
            swiftSettings: settings),
        // Hostile servers, and what is asked of them; `make soak`.
        .executableTarget(
            name: "ChaosServer", path: "Tests/Soak/ChaosServer",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .executableTarget(
            name: "TernSoak", dependencies: ["TernEngine", "TernLock", "TernRuntime", "TernWebSocket"],
            path: "Tests/Soak/TernSoak", swiftSettings: settings),
        // How many POSTs are lost with connections that servers close without a word.
        .executableTarget(
            name: "LostPosts", dependencies: ["TernEngine"], path: "Tests/LostPosts", swiftSettings: settings),
        // What a plain request costs, and what it may; `make thresholds`.
        .executableTarget(
            name: "TernThresholds", dependencies: ["Tern", "TernEngine", "TernHTTP1", "TernLock", "TernRuntime"],
            path: "Tests/Thresholds/TernThresholds", swiftSettings: settings),
    ]
)
