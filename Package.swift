// swift-tools-version: 6.2
import PackageDescription

// The arrows between modules are explained in docs/ARCHITECTURE.md and checked by Tests/TidyTests.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The name of the target in a folder of `Sources`. A target name may be used once among all packages
/// that are built together, so ours begin with the package's name; what others rely on does not.
func target(_ folder: String) -> String {
    ["Capture", "ClientLib", "ProxyLib", "proxyd", "proxyctl", "proxyship"].contains(folder)
        ? folder : "Proxyd" + folder
}

/// A target of this package, by its folder.
func local(_ folder: String) -> Target.Dependency { .target(name: target(folder)) }

func library(
    _ folder: String, _ dependencies: [String] = [], of others: [Target.Dependency] = [],
    in parent: String = "Sources", exclude: [String] = [], plugins: [Target.PluginUsage] = []
) -> Target {
    .target(
        name: target(folder), dependencies: dependencies.map(local) + others,
        path: "\(parent)/\(folder)", exclude: exclude, swiftSettings: strict, plugins: plugins)
}

func system(
    _ folder: String, pkgConfig: String? = nil, apt: String, yum: String
) -> Target {
    .systemLibrary(
        name: target(folder), path: "Sources/\(folder)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .yum([yum])])
}

/// Headers of the system that need no library.
func headers(_ folder: String) -> Target {
    .systemLibrary(name: target(folder), path: "Sources/\(folder)")
}

func program(
    _ name: String, _ dependencies: [String], of others: [Target.Dependency]
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies.map(local) + others, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [String] = [], of others: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map(local) + others, exclude: exclude,
        swiftSettings: strict)
}

/// Puts the page into the module that serves it.
let embedPage = Target.PluginUsage.plugin(name: target("EmbedPage"))

/// A library for others, with the modules that its users import, by their folders.
func product(_ folders: String...) -> Product {
    .library(name: target(folders[0]), targets: folders.map(target))
}

// Packages of others belong to a trait, so that whoever wants a library alone resolves none of them:
// `.package(…, traits: [])`. Without that, and here, all of it is built.
let programs = TargetDependencyCondition.when(traits: ["Programs"])

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let logging = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: programs)

let package = Package(
    name: "proxyd",
    products: [
        .executable(name: "proxyd", targets: ["proxyd"]),
        .executable(name: "proxyctl", targets: ["proxyctl"]),
        .executable(name: "proxyship", targets: ["proxyship"]),
        product("ClientLib"),
        product("ClientFoundation"),
        product("ClientTargets"),
        product("ProxyLib"),
        product("Capture", "CaptureModel", "Filter", "HTTPModel"),
    ],
    traits: [
        .trait(name: "Programs", description: "proxyd, proxyctl and their tests"),
        .default(enabledTraits: ["Programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
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
        headers("CLinuxNet"),
        headers("CLinuxProcess"),
        headers("CLinuxConfinement"),
        system("CJemalloc", apt: "libjemalloc-dev", yum: "jemalloc-devel"),
        system("CCrypt", apt: "libcrypt-dev", yum: "libxcrypt-devel"),
        system("CSQLite", apt: "libsqlite3-dev", yum: "sqlite-devel"),
        system("CPostgres", apt: "libpq-dev", yum: "libpq-devel"),
        system("CNcurses", apt: "libncurses-dev", yum: "ncurses-devel"),

        // Pure: no I/O, no clock, no C.
        library("CivilTime"),
        library("HTTPModel"),
        library("Charsets"),
        library("ParameterCoding", ["CivilTime", "Charsets"]),
        library("PropertyLists", ["ParameterCoding"]),
        library("HTTPWire", ["HTTPModel"]),
        library("TerminalText"),
        library("Protobuf", ["CivilTime", "ParameterCoding"]),
        library("Filter", ["CivilTime", "HTTPModel"]),

        // One C library each.
        library("ContentCoding", ["CZlib", "CBrotli", "CZstd"]),
        library("EventLoops", ["CLibevent", "System"]),
        library("TLS", ["COpenSSL", "System"]),
        library("ProcessAttribution", ["CLinuxNet"]),

        // What a store contains, whichever it is.
        library(
            "CaptureModel",
            ["CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding", "Filter"]),

        // What watches bytes and tells messages.
        library("Messages", ["HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding"]),

        // What interfaces let users do, and the server of those that browsers and agents use.
        library(
            "Operations",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "Filter",
                "CaptureModel", "Interchange", "Presentation", "Rules", "ExchangeContent",
            ]),
        library(
            "WebServer", ["HTTPModel", "HTTPWire", "ParameterCoding", "EventLoops", "System"]),

        // What must not leave.
        library(
            "Redaction",
            ["HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "ContentCoding"]),
        library("CurlCommand", ["HTTPModel", "Redaction"]),

        // What the bytes of an exchange say.
        library(
            "ExchangeContent",
            [
                "CivilTime", "HTTPModel", "Charsets", "ParameterCoding", "ContentCoding",
                "CaptureModel", "Protobuf", "Redaction",
            ]),

        // Formats of files.
        library(
            "Interchange",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding",
                "CurlCommand", "CaptureModel", "Protobuf", "Messages", "ExchangeContent",
                "Redaction",
            ]),

        // What acts on traffic, without I/O.
        library(
            "Rules",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding",
                "ContentCoding", "Filter", "ConfigurationText",
            ]),

        // What is expected of recorded exchanges, without I/O.
        library(
            "Assertions",
            [
                "HTTPModel", "ParameterCoding", "Filter", "CaptureModel", "Interchange",
                "Presentation", "TerminalText", "ConfigurationText", "Rules", "ExchangeContent",
            ]),

        library(
            "RuleActing",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Filter", "Rules", "EventLoops",
                "Transport", "ProxyEngine", "Confinement", "System",
            ]),

        // What is asked of the kernel.
        library("ProcessSetup", ["CLinuxProcess"]),
        library("Confinement", ["CLinuxConfinement", "System"]),
        library("System"),

        // Passwords of users.
        library("Users", ["CCrypt", "TLS", "System"]),

        // Network and store.
        library("Transport", ["HTTPModel", "HTTPWire", "EventLoops", "TLS"]),
        library("Control", ["HTTPModel", "CaptureModel", "Rules", "EventLoops", "System"]),
        library(
            "Capture",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding",
                "ContentCoding", "Filter", "CaptureModel", "Protobuf", "System", "CSQLite",
                "ExchangeContent", "Redaction",
            ]),
        library(
            "CentralStore",
            [
                "CivilTime", "HTTPModel", "ParameterCoding", "ContentCoding", "Filter",
                "CaptureModel", "System",
            ]),
        library("PostgresLink", ["CentralStore", "CPostgres"]),
        library(
            "ProxyEngine",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Messages", "EventLoops", "TLS", "Transport",
            ]),
        library(
            "ProxyLib", ["HTTPModel", "HTTPWire", "EventLoops", "TLS", "ProxyEngine", "CivilTime"]),
        // What people read: raw text with roles, and how a terminal shows it.
        library(
            "Presentation",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding",
                "ContentCoding", "CaptureModel", "Protobuf", "ExchangeContent", "TerminalText",
            ]),
        library(
            "ClientLib",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding",
                "PropertyLists", "ContentCoding", "Messages", "EventLoops", "TLS", "Transport",
                "Redaction", "CurlCommand", "System",
            ]),
        library("ClientFoundation", ["ParameterCoding", "ClientLib"]),
        library(
            "ClientTargets",
            [
                "HTTPModel", "ParameterCoding", "Redaction", "ClientLib", "System",
            ]),
        library(
            "TUI",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding",
                "ContentCoding", "Filter", "CaptureModel", "Interchange", "Presentation",
                "TerminalText", "Redaction", "CurlCommand", "System", "CNcurses", "Rules",
                "Operations", "Assertions", "ExchangeContent",
            ]),
        library(
            "Agents",
            [
                "HTTPModel", "ParameterCoding", "Filter", "CaptureModel", "Interchange",
                "Presentation", "TerminalText", "ConfigurationText", "Rules", "Operations",
                "System", "ExchangeContent", "Redaction",
            ]),
        library(
            "Web",
            [
                "CivilTime", "HTTPModel", "ParameterCoding", "ContentCoding",
                "Filter", "CaptureModel", "Interchange", "Presentation", "Rules",
                "Operations", "WebServer", "Agents", "System",
                "Assertions", "ExchangeContent",
            ], exclude: ["Page"], plugins: [embedPage]),
        .executableTarget(
            name: target("PageEmbedder"), path: "Sources/PageEmbedder", swiftSettings: strict),
        .plugin(
            name: target("EmbedPage"), capability: .buildTool,
            dependencies: [local("PageEmbedder")], path: "Plugins/EmbedPage"),

        library("ConfigurationText", ["CivilTime", "TerminalText"]),
        library(
            "DaemonConfiguration", ["HTTPModel", "ConfigurationText", "Filter", "TLS"],
            of: [logging]),

        // Programs.
        program(
            "proxyd",
            [
                "CivilTime", "HTTPModel", "HTTPWire", "EventLoops", "TLS", "Transport", "Control",
                "Capture", "Filter", "CaptureModel", "ProxyEngine", "ProcessAttribution",
                "ProcessSetup", "TerminalText", "System", "CJemalloc", "ConfigurationText",
                "DaemonConfiguration", "Rules", "RuleActing", "Confinement", "Users",
                "ParameterCoding", "CurlCommand",
            ], of: [argumentParser, logging]),
        program(
            "proxyctl",
            [
                "CivilTime", "HTTPModel", "ParameterCoding", "TLS",
                "Control", "Capture", "ClientLib", "CurlCommand", "ProcessSetup", "TerminalText",
                "Filter", "CaptureModel", "Interchange", "Protobuf", "Presentation",
                "TUI", "ConfigurationText", "DaemonConfiguration", "Rules",
                "RuleActing", "EventLoops", "ProxyEngine", "System", "Operations",
                "CentralStore", "WebServer", "Agents", "Web", "Users",
                "Assertions", "Confinement", "ExchangeContent", "Redaction",
            ], of: [argumentParser]),

        program(
            "proxyship",
            [
                "CivilTime", "HTTPModel", "ParameterCoding", "Capture", "CaptureModel",
                "CentralStore", "PostgresLink", "Control", "Filter", "ConfigurationText",
                "ProcessSetup", "System", "TerminalText", "ExchangeContent",
            ], of: [argumentParser]),

        // Tests, and what several of them use.
        library("TestSupport", ["HTTPModel"], in: "Tests"),
        .executableTarget(
            name: target("CharsetProgram"),
            dependencies: [local("Charsets"), local("ParameterCoding")],
            path: "Tests/CharsetProgram", swiftSettings: strict),
        library("RedactionTestSupport", ["HTTPModel"], in: "Tests"),
        tests(
            "RedactionTests",
            [
                "Redaction", "RedactionTestSupport", "CaptureModel", "ContentCoding",
                "ExchangeContent", "HTTPModel", "ParameterCoding", "TestSupport",
            ]),
        // In C: it makes system calls as a hostile program would.
        .executableTarget(name: target("ConfinementProbes"), path: "Tests/ConfinementProbes"),
        library("FilterTestSupport", ["HTTPModel", "Filter", "TestSupport"], in: "Tests"),
        library(
            "StoreTestSupport",
            [
                "HTTPModel", "ParameterCoding", "ContentCoding", "Filter", "CaptureModel",
                "Interchange", "Capture", "FilterTestSupport",
            ], in: "Tests"),
        library(
            "ClientTestSupport",
            [
                "ClientLib", "HTTPModel", "HTTPWire", "EventLoops", "TLS", "Transport",
                "TestSupport",
            ], in: "Tests"),
        tests("FilterTests", ["Filter", "FilterTestSupport", "TestSupport"]),
        tests(
            "RulesTests",
            [
                "Rules", "CivilTime", "ConfigurationText", "ContentCoding", "Filter", "HTTPModel",
                "HTTPWire", "ParameterCoding", "TestSupport",
            ]),
        tests(
            "AssertionsTests",
            [
                "RedactionTestSupport",
                "Assertions", "Capture", "CaptureModel", "ConfigurationText", "Filter",
                "HTTPModel", "Interchange", "ParameterCoding", "Presentation", "Rules",
                "StoreTestSupport", "TestSupport", "ExchangeContent",
            ]),
        tests(
            "InterchangeTests",
            [
                "RedactionTestSupport",
                "Interchange", "Capture", "CaptureModel", "CivilTime", "ContentCoding",
                "HTTPModel", "HTTPWire", "ParameterCoding", "Protobuf", "StoreTestSupport",
                "TestSupport", "ExchangeContent", "Redaction",
            ]),
        tests("CivilTimeTests", ["CivilTime"]),
        tests("HTTPModelTests", ["HTTPModel", "TestSupport"]),
        tests("ParameterCodingTests", ["ParameterCoding", "PropertyLists", "TestSupport"]),
        tests("PropertyListsTests", ["PropertyLists", "ParameterCoding", "TestSupport"]),
        tests(
            "CaptureModelTests",
            [
                "Capture", "CaptureModel", "CivilTime", "Filter", "HTTPModel", "ParameterCoding",
                "StoreTestSupport", "TestSupport",
            ]),
        tests(
            "OperationsTests",
            [
                "Capture", "CaptureModel", "Filter", "HTTPModel", "Operations",
                "ParameterCoding", "Presentation", "StoreTestSupport", "TestSupport",
            ]),
        tests(
            "HTTPWireTests", ["HTTPWire", "HTTPModel", "TestSupport"],
            exclude: ["Vectors", "Differential/peers.py", "HPACK/hpack-peers.py"]),
        tests("TerminalTextTests", ["TerminalText"]),
        tests(
            "PresentationTests",
            [
                "Presentation", "CaptureModel", "Charsets", "ContentCoding", "HTTPModel",
                "ParameterCoding", "TerminalText", "TestSupport",
            ]),
        tests(
            "ConfinementTests",
            ["Confinement", "ConfinementProbes", "proxyctl", "TestSupport"]),
        tests("UsersTests", ["Users"]),
        tests("SystemTests", ["System", "TestSupport"]),
        tests(
            "CentralStoreTests",
            [
                "CentralStore", "CaptureModel", "Filter", "HTTPModel",
                "ParameterCoding", "System", "FilterTestSupport",
                "StoreTestSupport", "TestSupport",
            ]),
        tests("PostgresLinkTests", ["PostgresLink", "CentralStore", "System", "TestSupport"]),
        tests(
            "ProxyshipTests",
            [
                "RedactionTestSupport",
                "proxyship", "Capture", "CaptureModel", "CentralStore", "ConfigurationText",
                "Control", "EventLoops", "Filter", "HTTPModel", "ParameterCoding", "PostgresLink",
                "System", "StoreTestSupport", "TestSupport",
            ], of: [argumentParser]),
        tests(
            "ProtobufTests", ["Protobuf", "ParameterCoding"],
            exclude: ["Oracle/oracle.py", "Oracle/oracle.proto", "Oracle/legacy.proto"]),
        tests("ConfigurationTextTests", ["ConfigurationText", "TestSupport"]),
        tests("CharsetsTests", ["Charsets"]),
        tests("ContentCodingTests", ["ContentCoding"]),
        tests("MessagesTests", ["Messages", "HTTPModel", "HTTPWire", "ContentCoding"]),
        tests("WebServerTests", ["WebServer", "EventLoops", "HTTPModel", "System"]),
        tests(
            "WebTests",
            [
                "Web", "WebServer", "Capture", "CaptureModel", "HTTPModel",
                "Operations", "ParameterCoding", "Rules", "System", "StoreTestSupport",
                "TestSupport",
            ]),
        tests(
            "AgentsTests",
            [
                "RedactionTestSupport",
                "Agents", "Capture", "CaptureModel", "HTTPModel", "Interchange", "Operations",
                "ParameterCoding", "System", "StoreTestSupport", "TestSupport", "ExchangeContent",
            ]),
        tests("EventLoopsTests", ["EventLoops", "System", "TestSupport"]),
        tests("TLSTests", ["TLS", "TestSupport"]),
        tests("ProcessAttributionTests", ["ProcessAttribution"]),
        tests(
            "TransportTests",
            ["Transport", "EventLoops", "TLS", "HTTPModel", "HTTPWire", "TestSupport"]),
        tests(
            "ControlTests",
            ["Control", "CaptureModel", "EventLoops", "HTTPModel", "Rules", "TestSupport"]),
        tests(
            "CaptureTests",
            [
                "Capture", "CaptureModel", "ContentCoding", "Filter", "HTTPModel",
                "HTTPWire", "Interchange", "ParameterCoding", "FilterTestSupport",
                "StoreTestSupport", "TestSupport", "Redaction",
            ],
            exclude: ["Golden", "Store/Fixtures"]),
        tests(
            "ProxyEngineTests",
            [
                "ProxyEngine", "CivilTime", "HTTPModel", "HTTPWire", "EventLoops", "TLS",
                "Transport", "TestSupport",
            ],
            exclude: ["Golden"]),
        tests(
            "ProxyLibTests",
            [
                "ProxyLib", "Capture", "CaptureModel", "ClientLib", "EventLoops", "Filter",
                "HTTPModel", "TLS", "ClientTestSupport", "TestSupport",
            ]),
        tests("CurlCommandTests", ["CurlCommand", "HTTPModel"]),
        tests(
            "ClientLibTests",
            [
                "RedactionTestSupport",
                "ClientLib", "HTTPModel", "HTTPWire", "Charsets", "ContentCoding", "TLS",
                "EventLoops", "Transport", "CurlCommand", "Capture", "CaptureModel",
                "ClientFoundation", "ClientTargets", "ClientTestSupport", "TestSupport",
            ]),
        tests(
            "ClientTargetsTests",
            ["ClientTargets", "ClientLib", "ClientTestSupport", "TestSupport"]),
        tests(
            "DaemonConfigurationTests",
            ["DaemonConfiguration", "ConfigurationText", "TestSupport"], of: [logging]),
        tests(
            "ProxydTests",
            [
                "proxyd", "ConfigurationText", "DaemonConfiguration", "HTTPModel", "HTTPWire",
                "ContentCoding", "Control", "EventLoops", "TLS", "TestSupport",
            ]),
        tests(
            "ProxyctlTests",
            [
                "proxyctl", "Capture", "CaptureModel", "CivilTime", "Control", "EventLoops",
                "Filter", "HTTPModel", "ParameterCoding", "Presentation", "ProcessSetup", "TLS",
                "StoreTestSupport", "TestSupport", "ExchangeContent",
            ],
            exclude: ["Golden"]),
        tests(
            "TUITests",
            [
                "TUI", "Capture", "CaptureModel", "Filter", "HTTPModel", "HTTPWire",
                "ParameterCoding", "ContentCoding", "Presentation", "Protobuf", "Rules",
                "StoreTestSupport", "TestSupport", "Operations",
                "Assertions", "ExchangeContent",
            ],
            exclude: ["Golden"]),
        tests(
            "EndToEndTests",
            [
                "proxyd", "proxyship", "proxyctl", "Capture", "CaptureModel", "CentralStore",
                "PostgresLink", "Filter", "ConfigurationText", "Confinement", "ContentCoding",
                "DaemonConfiguration", "EventLoops", "HTTPModel", "HTTPWire", "ProxyEngine",
                "TerminalText", "StoreTestSupport", "TestSupport", "Transport",
            ],
            exclude: ["Servers", "Faults/Drivers"]),
        tests("TidyTests"),
    ]
)

// The test targets that `scripts/test --filter` names, separated by spaces: only they and what they
// need are built. SwiftPM reads this file again when the variable changes.
if let chosen = Context.environment["PROXYD_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var waiting = chosen
    while let name = waiting.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        for case .targetItem(let name, _) in target.dependencies { waiting.append(name) }
        for case .plugin(let name, _) in target.plugins ?? [] { waiting.append(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}

// Our own packages Benchmarks and Fuzz need single modules: `build_nested` in scripts/common.sh sets
// this variable.
if Context.environment["PROXYD_ALL_MODULES"] != nil {
    let offered = Set(package.products.map(\.name))
    for target in package.targets
    where target.type == .regular && target.path?.hasPrefix("Sources/") == true
        && !offered.contains(target.name)
    {
        package.products.append(.library(name: target.name, targets: [target.name]))
    }
}

// What Benchmarks/instructions.py counts, made of the same modules as the programs of a release:
// `build_counted_work` in scripts/common.sh sets this variable.
if Context.environment["PROXYD_COUNTED_WORK"] != nil {
    func benchmark(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Benchmarks/Sources/\(name)",
            swiftSettings: strict)
    }
    let modules = [
        "Capture", "CaptureModel", "EventLoops", "HTTPModel", "HTTPWire", "ProxyEngine",
        "RuleActing", "Rules", "TLS", "Transport",
    ]
    package.targets += [
        benchmark("BenchmarkSupport"), benchmark("BenchmarkSamples", [local("HTTPModel")]),
        .executableTarget(
            name: "CountedWork",
            dependencies: ["BenchmarkSupport", "BenchmarkSamples"] + modules.map(local),
            path: "Benchmarks/Sources/CountedWork", swiftSettings: strict),
    ]
}
