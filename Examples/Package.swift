// swift-tools-version: 6.2
import PackageDescription

// Small programs on ClientLib and ProxyLib, as a package of another project would use them.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let clientLib = Target.Dependency.product(name: "ClientLib", package: "proxyd")
let proxyLib = Target.Dependency.product(name: "ProxyLib", package: "proxyd")
let capture = Target.Dependency.product(name: "Capture", package: "proxyd")

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "proxyd", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "GetJSON", dependencies: [clientLib], swiftSettings: strict),
        .executableTarget(
            name: "UploadWithProgress", dependencies: [clientLib], swiftSettings: strict),
        .executableTarget(
            name: "ReplayFailures", dependencies: [clientLib, capture], swiftSettings: strict),
        .executableTarget(
            name: "HeaderProxy", dependencies: [proxyLib], swiftSettings: strict),
    ]
)
