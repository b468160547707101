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

func system(
    _ name: String, pkgConfig: String? = nil, apt: String, yum: String
) -> Target {
    .systemLibrary(
        name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .yum([yum])])
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

// Packages of others belong to traits, so that who wants ClientLib alone resolves none of them:
// `.package(…, traits: [])`. Without that, and here, all of it is built.
let store = TargetDependencyCondition.when(traits: ["Store"])
let programs = TargetDependencyCondition.when(traits: ["Programs"])

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let logging = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: programs)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: store)
let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit", condition: programs)

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
    traits: [
        .trait(name: "Store", description: "Capture and TUI: captures in SQLite"),
        .trait(
            name: "Programs", description: "proxyd, proxyctl and their tests",
            enabledTraits: ["Store"]),
        .default(enabledTraits: ["Programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.5.6"),
    ],
    targets: [
        // C libraries, each imported by exactly one module. Where ClientLib needs one, the package
        // manager looks for it and says which package of the system is missing. It does so for
        // every package that depends on this one, so not for the others.
        system("CLibevent", pkgConfig: "libevent_core", apt: "libevent-dev", yum: "libevent-devel"),
        system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev", yum: "openssl-devel"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", yum: "zlib-devel"),
        system("CBrotli", pkgConfig: "libbrotlidec", apt: "libbrotli-dev", yum: "brotli-devel"),
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", yum: "libzstd-devel"),
        .systemLibrary(name: "CLinuxNet"),
        .systemLibrary(name: "CLinuxProcess"),
        system("CJemalloc", apt: "libjemalloc-dev", yum: "jemalloc-devel"),
        system("CSQLite", apt: "libsqlite3-dev", yum: "sqlite-devel"),
        system("CNcurses", apt: "libncurses-dev", yum: "ncurses-devel"),

        // Pure: no I/O, no clock, no C.
        library("CivilTime"),
        library("HTTPModel"),
        library("ParameterCoding", ["CivilTime"]),
        library("HTTPWire", ["HTTPModel"]),
        library("TerminalText"),

        // One C library each.
        library("ContentCoding", ["CZlib", "CBrotli", "CZstd"]),
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
            name: "TestSupport", dependencies: ["HTTPModel", grdb], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("CivilTimeTests", ["CivilTime"]),
        tests("HTTPModelTests", ["HTTPModel"]),
        tests("ParameterCodingTests", ["ParameterCoding"]),
        tests(
            "HTTPWireTests", ["HTTPWire", "HTTPModel", "TestSupport"],
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
            [
                "Capture", "CivilTime", "ContentCoding", "HTTPModel", "HTTPWire", "ParameterCoding",
                "TestSupport", grdb,
            ],
            exclude: ["Golden", "Store/Fixtures"]),
        tests(
            "ProxyEngineTests",
            [
                "ProxyEngine", "CivilTime", "HTTPModel", "HTTPWire", "EventLoops", "TLS",
                "Transport", "TestSupport",
            ],
            exclude: ["Golden"]),
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
            ],
            exclude: ["Golden"]),
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
