// swift-tools-version: 6.2
import PackageDescription

// The arrows between modules are explained in docs/ARCHITECTURE.md and checked by Tests/TidyTests.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

let package = Package(
    name: "proxyd",
    products: [
        .executable(name: "proxyd", targets: ["proxyd"]),
        .executable(name: "proxyctl", targets: ["proxyctl"]),
        .library(name: "ClientLib", targets: ["ClientLib"]),
        .library(name: "HTTPModel", targets: ["HTTPModel"]),
        .library(name: "HTTPWire", targets: ["HTTPWire"]),
        .library(name: "ParameterCoding", targets: ["ParameterCoding"]),
        .library(name: "ContentCoding", targets: ["ContentCoding"]),
        .library(name: "TerminalText", targets: ["TerminalText"]),
        .library(name: "Control", targets: ["Control"]),
        .library(name: "Capture", targets: ["Capture"]),
        .library(name: "TLS", targets: ["TLS"]),
        .library(name: "EventLoops", targets: ["EventLoops"]),
        .library(name: "Transport", targets: ["Transport"]),
        .library(name: "ProxyEngine", targets: ["ProxyEngine"]),
        .library(name: "TUI", targets: ["TUI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        // C libraries, each imported by exactly one module.
        .systemLibrary(name: "CLibevent", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCompression",
            providers: [.apt(["zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
        .systemLibrary(name: "CLinuxNet"),
        .systemLibrary(name: "CLinuxProcess"),
        .systemLibrary(name: "CJemalloc", providers: [.apt(["libjemalloc-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),

        // Pure: no I/O, no clock, no C.
        library("CivilTime"),
        library("HTTPModel"),
        library("ParameterCoding", ["CivilTime"]),
        library("HTTPWire", ["HTTPModel"]),
        library("TerminalText"),

        // One C library each.
        library("ContentCoding", ["CCompression"]),
        library("EventLoops", ["CLibevent", "Threads"]),
        library("TLS", ["COpenSSL"]),
        library("ProcessAttribution", ["CLinuxNet"]),

        // What is asked of the kernel.
        library("ProcessSetup", ["CLinuxProcess"]),
        library("Threads"),

        // Network and store.
        library("Transport", ["HTTPModel", "HTTPWire", "EventLoops", "TLS"]),
        library("Control", ["HTTPModel", "EventLoops"]),
        library(
            "Capture",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding",
                "CurlCommand", "Threads", "CSQLite", grdb,
            ]),
        library(
            "ProxyEngine", ["CivilTime", "HTTPModel", "HTTPWire", "EventLoops", "TLS", "Transport"]),
        library("CurlCommand", ["HTTPModel"]),
        library(
            "ClientLib",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding",
                "EventLoops", "TLS", "Transport", "CurlCommand",
            ]),
        library(
            "TUI",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding", "Capture",
                "TerminalText", "CurlCommand", "Threads", "CNcurses",
            ]),

        library("DaemonConfiguration", ["TLS", "TerminalText", logging, toml]),

        // Programs.
        program(
            "proxyd",
            [
                "HTTPModel", "EventLoops", "TLS", "Transport", "Control", "Capture",
                "ProxyEngine", "ProcessAttribution", "ProcessSetup", "TerminalText", "Threads",
                "CJemalloc", "DaemonConfiguration", argumentParser, logging,
            ]),
        program(
            "proxyctl",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding", "TLS",
                "Control", "Capture", "ClientLib", "CurlCommand", "ProcessSetup", "TerminalText",
                "TUI", "DaemonConfiguration", argumentParser,
            ]),

        // Tests, and what several of them use.
        .target(
            name: "TestSupport", dependencies: [grdb], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("CivilTimeTests", ["CivilTime"]),
        tests("HTTPModelTests", ["HTTPModel"]),
        tests("ParameterCodingTests", ["ParameterCoding"]),
        tests(
            "HTTPWireTests", ["HTTPWire", "HTTPModel"],
            exclude: ["Vectors", "Differential/peers.py"]),
        tests("TerminalTextTests", ["TerminalText"]),
        tests("ContentCodingTests", ["ContentCoding"]),
        tests("EventLoopsTests", ["EventLoops"]),
        tests("TLSTests", ["TLS"]),
        tests("ProcessAttributionTests", ["ProcessAttribution"]),
        tests(
            "TransportTests",
            ["Transport", "EventLoops", "TLS", "HTTPModel", "HTTPWire"]),
        tests("ControlTests", ["Control", "EventLoops", "HTTPModel"]),
        tests(
            "CaptureTests",
            ["Capture", "CivilTime", "HTTPModel", "ParameterCoding", "TestSupport", grdb]),
        tests(
            "ProxyEngineTests",
            [
                "ProxyEngine", "CivilTime", "HTTPModel", "HTTPWire", "EventLoops", "TLS",
                "Transport",
            ]),
        tests("CurlCommandTests", ["CurlCommand", "HTTPModel"]),
        tests(
            "ClientLibTests",
            [
                "ClientLib", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding", "TLS",
                "EventLoops", "Transport", "CurlCommand", "Capture", "TestSupport",
            ]),
        tests(
            "ProxydTests",
            [
                "proxyd", "DaemonConfiguration", "HTTPModel", "HTTPWire", "ContentCoding",
                "Control", "EventLoops", "TLS", "TestSupport",
            ]),
        tests(
            "ProxyctlTests",
            [
                "proxyctl", "Capture", "CivilTime", "Control", "EventLoops", "HTTPModel",
                "ParameterCoding", "ProcessSetup", "TLS", "TestSupport",
            ]),
        tests(
            "TUITests",
            [
                "TUI", "Capture", "HTTPModel", "ParameterCoding", "ContentCoding", "TerminalText",
                "TestSupport",
            ],
            exclude: ["Golden"]),
        tests(
            "EndToEndTests", ["TerminalText", "TestSupport"],
            exclude: ["Servers", "Faults/Drivers"]),
        tests("TidyTests"),
    ]
)
