internal import FoundationEssentials

/// What the list remembers between runs: recently used filters, saved ones, and the columns.
///
/// Each line of its file is a letter, a space and a value: `h` and a filter of the history; `s` and
/// a saved filter; `n`, and the name of a saved filter, a space and that filter; `c` and the
/// columns.
struct ListMemory: Sendable, Hashable {
    private static let fileByteCountMax = 1 << 20

    var filters = FilterMemory()
    var columns = ColumnChoice.standard
    /// The path of the file, or nil if nothing is stored.
    private var path: String?
    /// What is already in the file, or being written to it.
    private var written = Written()

    private struct Written: Sendable, Hashable {
        var filters = FilterMemory()
        var columns = ColumnChoice.standard
    }

    init() {}

    /// Reads the file in a directory; empty if there is none.
    static func load(_ directory: String?) -> ListMemory {
        var memory = ListMemory()
        memory.path = directory.map { $0 + "/filters" }
        memory.read()
        return memory
    }

    /// Writes the file in the background; only a failure is reported.
    mutating func storing() -> Work<Notice?> {
        let memory = self
        written = Written(filters: filters, columns: columns)
        return Work("remember", on: .actions, isKept: true) { _ in
            try memory.store()
            return nil
        }
    }

    /// Writes the file, merged with what another viewer has written in the meantime.
    func store() throws {
        guard let path else { return }
        var merged = ListMemory()
        merged.path = path
        merged.read()
        merged.filters.take(filters, since: written.filters)
        if columns != written.columns { merged.columns = columns }
        if let slash = path.lastIndex(of: "/") {
            try PrivateDirectory.make(String(path[..<slash]))
        }
        try PrivateDirectory.write(Array(merged.lines.joined().utf8), to: path)
    }

    private var lines: [String] {
        (columns == .standard ? [] : ["c \(columns.text)\n"])
            + filters.saved.map { filter in
                filter.name.map { "n \($0) \(filter.text)\n" } ?? "s \(filter.text)\n"
            } + filters.history.map { "h \($0)\n" }
    }

    private mutating func read() {
        guard let path, let data = FileManager.default.contents(atPath: path),
            data.count <= ListMemory.fileByteCountMax
        else { return }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            read(line.prefix(2), String(line.dropFirst(2)))
        }
        written = Written(filters: filters, columns: columns)
    }

    /// Parses a line; lines of newer versions are ignored.
    private mutating func read(_ kind: Substring, _ text: String) {
        switch kind {
        case "h ": filters.remember(text)
        case "s ": filters.save(SavedFilter(text: text))
        case "n ":
            guard let space = text.firstIndex(of: " ") else { return }
            let name = String(text[..<space])
            guard SavedFilter.isName(name) else { return }
            filters.save(SavedFilter(name: name, text: String(text[space...].dropFirst())))
        case "c ": columns = ColumnChoice(text)
        default: break
        }
    }
}
