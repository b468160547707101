// swift-tools-version: 6.2
import PackageDescription

// Fuzzers of everything that reads untrusted bytes. scripts/fuzz builds and runs them:
// the flags that instrument the code are given there, because they must reach the parent too.

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

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzSupport"] + dependencies, swiftSettings: strict)
}

let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

let package = Package(
    name: "Fuzz",
    dependencies: [
        .package(name: "proxyd", path: ".."),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.5.6"),
    ],
    targets: [
        .target(name: "FuzzSupport", swiftSettings: strict),
        .target(
            name: "WireSupport",
            dependencies: ["FuzzSupport", product("HTTPModel"), product("HTTPWire")],
            swiftSettings: strict),
        .target(
            name: "StreamSupport",
            dependencies: [
                "FuzzSupport", product("EventLoops"), product("HTTPModel"), product("TLS"),
                product("Transport"),
            ], swiftSettings: strict),
        .target(
            name: "StoreSupport",
            dependencies: [product("Capture"), product("CaptureModel"), product("HTTPModel")],
            swiftSettings: strict),
        fuzzer(
            "RequestDecoderFuzz", ["WireSupport", product("HTTPModel"), product("HTTPWire")]),
        fuzzer(
            "ResponseDecoderFuzz", ["WireSupport", product("HTTPModel"), product("HTTPWire")]),
        fuzzer(
            "ProxyLayersFuzz",
            [
                "StreamSupport", "WireSupport", product("EventLoops"), product("HTTPModel"),
                product("HTTPWire"), product("ProxyEngine"), product("TLS"), product("Transport"),
            ]),
        fuzzer(
            "ServerBytesFuzz",
            [
                "StreamSupport", "WireSupport", product("EventLoops"), product("HTTPModel"),
                product("HTTPWire"), product("Transport"),
            ]),
        fuzzer("HTTP2Fuzz", [product("HTTPModel"), product("HTTPWire")]),
        fuzzer("EventStreamFuzz", [product("HTTPWire")]),
        fuzzer(
            "BodyMessagesFuzz", [product("HTTPModel"), product("HTTPWire"), product("Messages")]),
        fuzzer("HPACKFuzz", [product("HTTPModel"), product("HTTPWire")]),
        fuzzer(
            "WebSocketFuzz", [product("HTTPModel"), product("HTTPWire"), product("Messages")]),
        fuzzer("MessageInflaterFuzz", [product("ContentCoding")]),
        fuzzer("ProtobufFuzz", [product("ParameterCoding"), product("Protobuf")]),
        fuzzer("DescriptorFuzz", [product("ParameterCoding"), product("Protobuf")]),
        fuzzer("QueryFuzz", [product("ParameterCoding")]),
        fuzzer("JSONFuzz", [product("ParameterCoding")]),
        fuzzer("MultipartFuzz", [product("ParameterCoding")]),
        fuzzer("PropertyListFuzz", [product("ParameterCoding"), product("PropertyLists")]),
        fuzzer("ParameterTreeFuzz", [product("ParameterCoding")]),
        fuzzer("PairEditFuzz", [product("ParameterCoding")]),
        fuzzer("RedactionFuzz", [product("HTTPModel"), product("Redaction")]),
        fuzzer("JSONEditFuzz", [product("ParameterCoding")]),
        fuzzer("EncodeFuzz", [product("ParameterCoding")]),
        fuzzer("ExtractionFuzz", [product("ParameterCoding")]),
        fuzzer("CharsetFuzz", [product("Charsets")]),
        fuzzer("ContentCodingFuzz", [product("ContentCoding")]),
        fuzzer("ClientHelloFuzz", [product("TLS")]),
        fuzzer("CertificateFuzz", [product("TLS")]),
        fuzzer(
            "FilterFuzz",
            [
                "StoreSupport", product("Capture"), product("CaptureModel"), product("Filter"),
                product("HTTPModel"), product("ParameterCoding"),
            ]),
        fuzzer("RegexFuzz", [product("Filter")]),
        fuzzer(
            "RulesFuzz",
            [
                product("ConfigurationText"), product("HTTPModel"), product("HTTPWire"),
                product("Rules"),
            ]),
        fuzzer(
            "StoreFileFuzz",
            [
                "StoreSupport", product("Capture"), product("CaptureModel"), product("Filter"),
                product("HTTPModel"), product("Interchange"),
            ]),
        fuzzer("ImportFuzz", [product("Interchange"), product("HTTPModel")]),
        fuzzer("ArchiveFuzz", [product("Interchange"), product("HTTPModel")]),
        fuzzer("PacketFuzz", [product("Interchange"), product("HTTPModel")]),
        fuzzer("PacketLossFuzz", [product("Interchange"), product("HTTPModel")]),
        fuzzer("ContainerFuzz", [product("Interchange"), product("HTTPModel")]),
        fuzzer(
            "BodyViewersFuzz",
            [
                product("TUI"), product("CaptureModel"), product("Presentation"),
            ]),
        fuzzer(
            "KeysFuzz",
            [
                "StoreSupport", product("TUI"), product("Presentation"), product("Capture"),
                product("Operations"),
            ]),
        fuzzer("TerminalTextFuzz", [product("TerminalText")]),
        fuzzer("ControlFuzz", [product("Control"), product("HTTPModel")]),
        fuzzer("ProxyHandshakeFuzz", [product("Transport")]),
        fuzzer("ConfigurationFuzz", [product("ConfigurationText"), toml]),
    ]
)
