internal import ProxydCaptureModel
internal import ProxydFilter

struct TreeLine: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A server, folder or path below a place.
        case branch(Branches.Name, below: TreePath)
        /// Entries that are not listed individually.
        case others(below: TreePath)
        case reading(below: TreePath)
    }

    let kind: Kind
    let depth: Int
    let label: String
    let totals: BranchTotals

    /// The place whose entries it unfolds to, or nil if it cannot be unfolded.
    var path: TreePath? {
        guard case .branch(let name, let parent) = kind else { return nil }
        switch name {
        case .server(let server): return TreePath(server: server)
        case .folder(let folder): return TreePath(server: parent.server, folder: folder)
        case .path: return nil
        }
    }

    var isFolder: Bool { path != nil }

    var parent: TreePath {
        switch kind {
        case .branch(_, let parent), .others(let parent), .reading(let parent): parent
        }
    }

    init(_ name: Branches.Name, below parent: TreePath, depth: Int, _ totals: BranchTotals) {
        kind = .branch(name, below: parent)
        self.depth = depth
        self.totals = totals
        label = TreeLine.label(name, parent)
    }

    init(othersOf parent: TreePath, depth: Int, _ totals: BranchTotals) {
        kind = .others(below: parent)
        self.depth = depth
        self.totals = totals
        label = "others"
    }

    init(reading parent: TreePath, depth: Int) {
        kind = .reading(below: parent)
        self.depth = depth
        totals = BranchTotals()
        label = "reading…"
    }

    private static func label(_ name: Branches.Name, _ parent: TreePath) -> String {
        switch name {
        case .server(let server): return label(server)
        case .folder(let folder): return String(tail(folder, parent))
        case .path(nil): return "(no path)"
        case .path(let path?):
            let rest = tail(path, parent)
            return rest.isEmpty ? (parent.folder.isEmpty ? "/" : "./") : String(rest)
        }
    }

    /// The part of the path after the folder's last slash.
    private static func tail(_ path: String, _ parent: TreePath) -> Substring {
        let folder = parent.folder.isEmpty ? "/" : parent.folder
        guard path.utf8.starts(with: folder.utf8) else { return path[...] }
        return path[(path.utf8.index(path.startIndex, offsetBy: folder.utf8.count))...]
    }

    private static func label(_ server: ServerName) -> String {
        guard let host = server.host else { return "(no host)" }
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        guard let scheme = server.scheme else { return shown }
        let usual = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        let port = server.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(shown)\(port)"
    }

    var host: String? { server?.host }

    /// The server of the line, or the one it belongs to.
    var server: ServerName? {
        if case .branch(.server(let server), _) = kind { return server }
        return parent.server
    }

    /// The term that matches everything below the line; for `otherHosts`, the term that excludes
    /// it. Returns nil if the line has no such property.
    func term(_ facet: RowFacet) -> String? {
        switch facet {
        case .host: server.map { RowFacet.host($0.host) }
        case .otherHosts: server.map { RowFacet.otherHosts(than: $0.host) }
        case .path: pathTerm
        case .status: nil
        }
    }

    private var pathTerm: String? {
        guard case .branch(let name, _) = kind else { return nil }
        return switch name {
        case .server: nil
        case .folder(let folder): "path~" + FilterText.quoted("^" + FilterText.escaped(folder))
        case .path(let path): path.map { "path=" + FilterText.quoted($0) } ?? "not path~."
        }
    }
}

enum TreeOrder: String, Sendable, Hashable, CaseIterable {
    case name, count, errors, size, newest

    var next: TreeOrder {
        let all = TreeOrder.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// Whether one line sorts before another: names ascending, numbers descending.
    func isBefore(_ left: TreeLine, _ right: TreeLine) -> Bool {
        let (first, second) = (value(left.totals), value(right.totals))
        if first != second { return first > second }
        // Folders first, as in file managers.
        if self == .name, left.isFolder != right.isFolder { return left.isFolder }
        return left.label < right.label
    }

    private func value(_ totals: BranchTotals) -> Int64 {
        switch self {
        case .name: 0
        case .count: totals.count
        case .errors: totals.errorCount
        case .size: totals.byteCount
        case .newest: totals.lastStartedAtNs
        }
    }
}

enum TreeFocus {
    /// The filter for a line in addition to another filter.
    /// - Parameter isOnlyOfHost: Whether no other server has the same host.
    static func text(_ line: TreeLine, in filter: Filter, isOnlyOfHost: Bool) -> String? {
        guard case .branch = line.kind, let server = line.server else { return nil }
        let path = [line.term(.path)].compactMap { $0 }
        return FilterText.narrowed(
            filter, by: serverTerms(server, isOnlyOfHost: isOnlyOfHost) + path)
    }

    private static func serverTerms(_ server: ServerName, isOnlyOfHost: Bool) -> [String] {
        let host = RowFacet.host(server.host)
        guard server.host != nil, !isOnlyOfHost else { return [host] }
        let scheme = server.scheme.map { "scheme=" + FilterText.quoted($0) } ?? "not scheme~."
        return [host, scheme, server.port.map { "port=\($0)" } ?? "not port>=0"]
    }
}
