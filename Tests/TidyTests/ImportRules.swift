/// Which module may import which: the arrows of docs/ARCHITECTURE.md.
enum ImportRules {
    /// What the language and the system bring along.
    private static let system: Set = [
        "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Dispatch",
        "Synchronization",
    ]
    /// The same for the modules of the programs: all of Foundation would link ICU, of more than
    /// 30 MB.
    private static let systemOfPrograms = system.subtracting(["Foundation", "FoundationXML"])
    private static let engine: Set = ["HTTPModel", "HTTPWire", "EventLoops", "TLS", "Transport"]

    /// The modules of this repository and packages each module may import.
    static let allowed: [String: Set<String>] = [
        "CivilTime": [],
        "HTTPModel": [],
        "Charsets": [],
        "ParameterCoding": ["CivilTime", "Charsets", "FoundationEssentials"],
        "PropertyLists": ["ParameterCoding", "FoundationEssentials"],
        "HTTPWire": ["HTTPModel"],
        "TerminalText": [],
        "Protobuf": ["CivilTime", "ParameterCoding"],
        "Filter": ["CivilTime", "HTTPModel", "Glibc", "Synchronization"],
        "Rules": [
            "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "ContentCoding",
            "Filter",
            "ConfigurationText", "Glibc", "Synchronization",
        ],
        "Assertions": [
            "HTTPModel", "ParameterCoding", "Filter", "CaptureModel", "Interchange",
            "Presentation", "TerminalText", "ConfigurationText", "Rules", "ExchangeContent",
        ],
        "RuleActing": systemOfPrograms.union([
            "CivilTime", "HTTPModel", "HTTPWire", "Filter", "Rules", "EventLoops", "Transport",
            "ProxyEngine", "Confinement", "System",
        ]),
        "CaptureModel": [
            "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding", "Filter",
            "Synchronization",
        ],
        "ContentCoding": systemOfPrograms.union(["CZlib", "CBrotli", "CZstd"]),
        "ExchangeContent": [
            "CivilTime", "HTTPModel", "Charsets", "ParameterCoding", "ContentCoding",
            "CaptureModel", "Protobuf", "Redaction", "Synchronization",
        ],
        "Redaction": ["HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "ContentCoding"],
        "Interchange": [
            "CivilTime", "HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding", "CurlCommand",
            "CaptureModel", "Protobuf", "Messages", "Synchronization", "ExchangeContent",
            "Redaction",
        ],
        "Messages": ["HTTPModel", "HTTPWire", "ParameterCoding", "ContentCoding"],
        "EventLoops": systemOfPrograms.union(["CLibevent", "System"]),
        "TLS": systemOfPrograms.union(["COpenSSL", "System"]),
        "ProcessAttribution": systemOfPrograms.union(["CLinuxNet"]),
        "ProcessSetup": ["Glibc", "CLinuxProcess"],
        "Confinement": ["Glibc", "CLinuxConfinement", "System"],
        "Users": systemOfPrograms.union(["CCrypt", "TLS", "System"]),
        "System": ["Glibc", "Dispatch", "Synchronization"],
        "Transport": engine.subtracting(["Transport"]).union(systemOfPrograms),
        "Control": systemOfPrograms.union([
            "HTTPModel", "CaptureModel", "Rules", "EventLoops", "System",
        ]),
        "Capture": systemOfPrograms.union([
            "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "ContentCoding",
            "Filter", "CaptureModel", "Protobuf", "System", "CSQLite",
            "ExchangeContent", "Redaction",
        ]),
        "CentralStore": [
            "CivilTime", "HTTPModel", "ParameterCoding", "ContentCoding", "Filter",
            "CaptureModel", "System", "Glibc", "Synchronization",
        ],
        "PostgresLink": ["CentralStore", "CPostgres", "Glibc", "Synchronization"],
        "ProxyEngine": engine.union(systemOfPrograms).union(["CivilTime", "Messages"]),
        "ProxyLib": [
            "CivilTime", "HTTPModel", "HTTPWire", "EventLoops", "TLS", "ProxyEngine",
            "Synchronization", "Glibc",
        ],
        "CurlCommand": ["HTTPModel", "Redaction", "FoundationEssentials"],
        "Presentation": [
            "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "ContentCoding",
            "CaptureModel", "Protobuf", "Synchronization", "Glibc", "ExchangeContent",
            "TerminalText",
        ],
        "ClientLib": engine.union(systemOfPrograms).union([
            "CivilTime", "Charsets", "ParameterCoding", "PropertyLists", "ContentCoding",
            "Redaction", "CurlCommand", "Messages", "System",
        ]),
        "ClientFoundation": ["ParameterCoding", "ClientLib", "Foundation", "FoundationXML"],
        "ClientTargets": [
            "HTTPModel", "ParameterCoding", "Redaction", "ClientLib", "System",
            "Foundation", "Synchronization",
        ],
        "TUI": systemOfPrograms.union([
            "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "ContentCoding",
            "Filter",
            "CaptureModel", "Interchange", "Presentation", "TerminalText", "Redaction",
            "CurlCommand", "System", "CNcurses", "Rules", "Operations", "Assertions",
            "ExchangeContent",
        ]),
        "Operations": [
            "CivilTime", "HTTPModel", "HTTPWire", "Charsets", "ParameterCoding", "Filter",
            "CaptureModel", "Interchange", "Presentation", "Rules", "ExchangeContent",
            "Synchronization",
        ],
        "WebServer": [
            "HTTPModel", "HTTPWire", "ParameterCoding", "EventLoops", "System", "Synchronization",
        ],
        "Agents": [
            "HTTPModel", "ParameterCoding", "Filter", "CaptureModel", "Interchange",
            "Presentation", "TerminalText", "ConfigurationText", "Rules", "Operations",
            "System", "Synchronization", "ExchangeContent", "Redaction",
        ],
        "Web": [
            "CivilTime", "HTTPModel", "ParameterCoding", "ContentCoding", "Filter",
            "CaptureModel", "Interchange", "Presentation", "Rules", "Operations",
            "WebServer", "Agents", "System", "Synchronization",
            "Assertions", "ExchangeContent",
        ],
        "PageEmbedder": ["Foundation"],
        "EmbedPage": ["Foundation", "PackagePlugin"],
        "ConfigurationText": ["CivilTime", "Glibc", "TerminalText"],
        "DaemonConfiguration": systemOfPrograms.union([
            "HTTPModel", "ConfigurationText", "Filter", "TLS", "Logging",
        ]),
        "proxyd": engine.union(systemOfPrograms).union([
            "CivilTime", "Control", "Capture", "Filter", "CaptureModel", "ProxyEngine",
            "ProcessAttribution", "ProcessSetup", "TerminalText", "System", "CJemalloc",
            "ParameterCoding", "ArgumentParser", "Logging",
            "ConfigurationText", "DaemonConfiguration", "Rules", "RuleActing", "Confinement",
            "Users", "CurlCommand",
        ]),
        "proxyctl": systemOfPrograms.union([
            "CivilTime", "HTTPModel", "ParameterCoding", "TLS",
            "Control", "Capture", "ClientLib", "CurlCommand", "ProcessSetup", "TerminalText", "TUI",
            "Filter", "CaptureModel", "Interchange", "Protobuf", "Presentation", "ArgumentParser",
            "ConfigurationText", "DaemonConfiguration", "Rules", "RuleActing",
            "EventLoops", "ProxyEngine", "System", "Operations", "WebServer",
            "CentralStore", "Agents", "Web", "Users", "Assertions",
            "Confinement", "ExchangeContent", "Redaction",
        ]),
        "proxyship": [
            "CivilTime", "HTTPModel", "ParameterCoding", "Capture", "CaptureModel",
            "CentralStore", "PostgresLink", "Control", "Filter",
            "ConfigurationText", "ProcessSetup", "System", "TerminalText", "ArgumentParser",
            "Glibc", "Synchronization", "ExchangeContent",
        ],
    ]

    /// C libraries that are imported in one folder of their module alone.
    private static let rooms = [
        "CSQLite": "Sources/Capture/SQLite/", "CNcurses": "Sources/TUI/Terminal/",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard let allowed = allowed[file.module] else {
            return [
                Finding(file: file.path, line: 1, message: "\(file.module) has no import rules")
            ]
        }
        return imports(of: file).filter { line, module in
            !allowed.contains(module) || rooms[module].map { !file.path.hasPrefix($0) } ?? false
        }.map { line, module in
            Finding(file: file.path, line: line, message: "\(file.module) may not import \(module)")
        }
    }

    /// What a module may import of this repository, and none of its files does.
    static func unused(by module: String, in files: [SourceFile]) -> Set<String> {
        let used = files.flatMap { imports(of: $0).map(\.module) }
        return (allowed[module] ?? []).intersection(allowed.keys).subtracting(used)
    }

    private static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
        let kinds: Set<Substring> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
        return file.lines.enumerated().compactMap { index, line in
            // Further in it would be text of a string literal.
            guard !line.hasPrefix(" ") else { return nil }
            var words = line.split(separator: " ")[...]
            while let first = words.first, first.hasPrefix("@") || accessLevels.contains(first) {
                words.removeFirst()
            }
            guard words.first == "import" else { return nil }
            words.removeFirst()
            if let first = words.first, kinds.contains(first) { words.removeFirst() }
            guard let module = words.first?.split(separator: ".").first else { return nil }
            return (index + 1, folder(of: module))
        }
    }

    /// Where a module lives: its name without the package's prefix.
    private static func folder(of module: Substring) -> String {
        let rest = module.dropFirst(packagePrefix.count)
        return module.hasPrefix(packagePrefix) && !rest.isEmpty ? String(rest) : String(module)
    }

    private static let packagePrefix = "Proxyd"

    private static let accessLevels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
}

/// Which folder of ProxyEngine may use which: the order of its table in docs/ARCHITECTURE.md.
enum FolderRules {
    /// From the bottom up: a folder uses its own types and those of the levels before it.
    static let levels = [
        ["Configuration"], ["Recording"], ["Actors"], ["Clients"], ["Pages", "Routing"], ["Access"],
        ["Relay"], ["Tunnels"], ["HTTP1", "HTTP2", "SOCKS", "Listeners"], ["Engine"],
    ]

    /// The uses of types that are declared in a folder of the same level or above.
    static func findings(in files: [SourceFile]) -> [Finding] {
        var homes: [Substring: String] = [:]
        for file in files {
            for line in file.lines { declaredType(line).map { homes[$0] = folder(of: file) } }
        }
        return files.flatMap { file in
            file.lines.enumerated().compactMap { index, line -> Finding? in
                let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
                let names = code.split { !$0.isLetter && !$0.isNumber }
                guard let name = names.first(where: { isAbove(homes[$0], file) }) else {
                    return nil
                }
                return Finding(
                    file: file.path, line: index + 1,
                    message: "\(folder(of: file)) is below \(homes[name] ?? ""), which has \(name)")
            }
        }
    }

    private static func isAbove(_ home: String?, _ file: SourceFile) -> Bool {
        guard let home, home != folder(of: file) else { return false }
        return level(of: home) >= level(of: folder(of: file))
    }

    /// A folder that is missing above is below all others: its first use of one is reported.
    private static func level(of folder: String) -> Int {
        levels.firstIndex { $0.contains(folder) } ?? -1
    }

    private static func folder(of file: SourceFile) -> String {
        let parts = file.path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : ""
    }

    /// The type that a line without indentation declares.
    private static func declaredType(_ line: String) -> Substring? {
        guard !line.hasPrefix(" ") else { return nil }
        let words = line.split { !$0.isLetter && !$0.isNumber }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol"]
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
            !line.hasPrefix("private"), !line.hasPrefix("fileprivate"), !line.hasPrefix("/")
        else { return nil }
        return words[kind + 1]
    }
}
