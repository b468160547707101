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
