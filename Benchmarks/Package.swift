// swift-tools-version: 6.2
import PackageDescription

// Benchmarks of what every request pays for. scripts/bench builds and runs them. CountedWork is a
// program of the package proxyd, which shares its modules with the programs of a release.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of proxyd by its folder. It is a product while PROXYD_ALL_MODULES is set, as by
/// `build_nested` in scripts/common.sh; see the end of the manifest of proxyd.
func product(_ folder: String) -> Target.Dependency {
    .product(name: folder == "Capture" ? folder : "Proxyd" + folder, package: "proxyd")
}

func benchmark(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["BenchmarkSupport"] + dependencies, swiftSettings: strict)
}

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "proxyd", path: "..")],
    targets: [
        .target(name: "BenchmarkSupport", swiftSettings: strict),
        .target(
            name: "BenchmarkSamples", dependencies: [product("HTTPModel")],
            swiftSettings: strict),
        benchmark(
            "WireBenchmark", ["BenchmarkSamples", product("HTTPModel"), product("HTTPWire")]),
        benchmark("ParameterBenchmark", [product("ParameterCoding")]),
        benchmark(
            "StoreBenchmark",
            [
                "BenchmarkSamples", product("Capture"), product("CaptureModel"),
                product("HTTPModel"),
            ]),
        // Makes a store of a million varied exchanges.
        benchmark(
            "GenerateStore", [product("Capture"), product("CaptureModel"), product("HTTPModel")]),
        // Makes a store with one body of 200 MB.
        benchmark(
            "GenerateBody", [product("Capture"), product("CaptureModel"), product("HTTPModel")]),
        // Makes a store with one WebSocket of a million messages.
        benchmark(
            "GenerateMessages",
            [product("Capture"), product("CaptureModel"), product("HTTPModel")]),
    ]
)
