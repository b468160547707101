internal import Foundation

/// Filters used before, and those that were saved. Kept in a file, one a line: `h` or `s`, a
/// space, the filter.
struct FilterMemory: Sendable, Hashable {
    /// Filters of the history at most.
    static let historyCountMax = 200
    private static let fileByteCountMax = 1 << 20
    /// Longer filters were pasted by mistake, and would push all others out of the file.
    private static let filterByteCountMax = 4_096

    /// The newest last.
    private(set) var history: [String] = []
    private(set) var saved: [String] = []
    /// Where it is kept; nil for nowhere.
    private var path: String?

    init() {}

    /// What a file says; nothing where there is none.
    static func load(_ directory: String?) -> FilterMemory {
        var memory = FilterMemory()
        memory.path = directory.map { $0 + "/filters" }
        memory.read()
        return memory
    }

    mutating func remember(_ filter: String) {
        guard FilterMemory.isKept(filter) else { return }
        history.removeAll { $0 == filter }
        history.append(filter)
        history = history.suffix(FilterMemory.historyCountMax)
    }

    /// Saves a filter, or forgets it again; whether it is saved now.
    mutating func toggleSaved(_ filter: String) -> Bool {
        guard FilterMemory.isKept(filter) else { return false }
        if let index = saved.firstIndex(of: filter) {
            saved.remove(at: index)
            return false
        }
        saved.append(filter)
        return true
    }

    /// Whether a filter is worth a line of the file.
    static func isKept(_ filter: String) -> Bool {
        !filter.isEmpty && filter.utf8.count <= filterByteCountMax
    }

    /// Writes the file, with what another viewer added to the history meanwhile.
    func store() throws {
        guard let path else { return }
        var merged = FilterMemory()
        merged.path = path
        merged.read()
        for filter in history { merged.remember(filter) }
        merged.saved = saved
        let lines = merged.saved.map { "s \($0)\n" } + merged.history.map { "h \($0)\n" }
        try PrivateDirectory.make((path as NSString).deletingLastPathComponent)
        try PrivateDirectory.write(Array(lines.joined().utf8), to: path)
    }

    private mutating func read() {
        guard let path, let data = FileManager.default.contents(atPath: path),
            data.count <= FilterMemory.fileByteCountMax
        else { return }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let filter = String(line.dropFirst(2))
            if line.hasPrefix("s "), !saved.contains(filter) { saved.append(filter) }
            if line.hasPrefix("h ") { remember(filter) }
        }
    }
}
