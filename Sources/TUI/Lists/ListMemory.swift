internal import Foundation

/// What the list keeps from one start to the next: filters used before, those that were saved, and
/// the columns.
///
/// In its file each line is a letter, a space and what it is about: `h` and a filter of the
/// history, `s` and a saved filter, `n`, the name of a saved filter, a space and that filter, `c`
/// and the columns.
struct ListMemory: Sendable, Hashable {
    private static let fileByteCountMax = 1 << 20

    var filters = FilterMemory()
    var columns = ColumnChoice.standard
    /// Where it is kept; nil for nowhere.
    private var path: String?
    /// What of it is in the file already, or on the way there.
    private var written = Written()

    private struct Written: Sendable, Hashable {
        var filters = FilterMemory()
        var columns = ColumnChoice.standard
    }

    init() {}

    /// What the file of a directory says; nothing where there is none.
    static func load(_ directory: String?) -> ListMemory {
        var memory = ListMemory()
        memory.path = directory.map { $0 + "/filters" }
        memory.read()
        return memory
    }

    /// Writes the file beside the keys; only a failure is told.
    mutating func storing() -> Work<Notice?> {
        let memory = self
        written = Written(filters: filters, columns: columns)
        return Work("remember", on: .actions, isKept: true) { _ in
            try memory.store()
            return nil
        }
    }

    /// Writes the file, with what another viewer put into it meanwhile.
    func store() throws {
        guard let path else { return }
        var merged = ListMemory()
        merged.path = path
        merged.read()
        merged.filters.take(filters, since: written.filters)
        if columns != written.columns { merged.columns = columns }
        try PrivateDirectory.make((path as NSString).deletingLastPathComponent)
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

    /// Takes a line over; one that a newer version wrote is left out.
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
