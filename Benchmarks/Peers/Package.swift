// swift-tools-version: 6.2
import PackageDescription

// Benchmarks beside other people's libraries: a package of its own, as those take minutes to build.
// scripts/bench builds and runs them behind the others.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Peers",
    dependencies: [
        .package(name: "proxyd", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: [
                "ProxydTestSupport",
                .product(name: "ClientLib", package: "proxyd"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // What the linked files of the tests need.
        .target(
            name: "ProxydTestSupport", path: "Sources/TestSupport", swiftSettings: strict),
    ]
)
