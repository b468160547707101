internal import ProxydCaptureModel

/// One line of a tree.
struct TreeLine: Sendable, Hashable {
    /// What the line represents.
    enum Kind: Sendable, Hashable {
        /// A server, folder or path below a place.
        case branch(Branches.Name, below: PathPlace)
        /// Entries that are not listed individually.
        case others(below: PathPlace)
        /// A place that is being read.
        case reading(below: PathPlace)
    }

    let kind: Kind
    let depth: Int
    let label: String
    let totals: BranchTotals

    /// The place whose entries it unfolds to, or nil if it cannot be unfolded.
    var place: PathPlace? {
        guard case .branch(let name, let parent) = kind else { return nil }
        switch name {
        case .server(let server): return PathPlace(server: server)
        case .folder(let folder): return PathPlace(server: parent.server, folder: folder)
        case .path: return nil
        }
    }

    var isFolder: Bool { place != nil }

    /// The place that contains the line directly.
    var parent: PathPlace {
        switch kind {
        case .branch(_, let parent), .others(let parent), .reading(let parent): parent
        }
    }

    init(_ name: Branches.Name, below parent: PathPlace, depth: Int, _ totals: BranchTotals) {
        kind = .branch(name, below: parent)
        self.depth = depth
        self.totals = totals
        label = TreeLine.label(name, parent)
    }

    init(othersOf parent: PathPlace, depth: Int, _ totals: BranchTotals) {
        kind = .others(below: parent)
        self.depth = depth
        self.totals = totals
        label = "others"
    }

    init(reading parent: PathPlace, depth: Int) {
        kind = .reading(below: parent)
        self.depth = depth
        totals = BranchTotals()
        label = "reading…"
    }

    private static func label(_ name: Branches.Name, _ parent: PathPlace) -> String {
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
    private static func tail(_ path: String, _ parent: PathPlace) -> Substring {
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
}
