/// What lies one step below a place of the tree.
public struct Branches: Sendable, Hashable {
    /// What a step leads to.
    public enum Name: Sendable, Hashable {
        /// A server.
        case server(ServerName)
        /// A folder with its last slash, from the first one on: `/api/v1/`.
        case folder(String)
        /// A whole path; nil where an exchange has none.
        case path(String?)
    }

    /// Different names that are kept at most. Those that turn up later are added up together:
    /// what is told of a name is exact, whatever the store holds.
    public static let nameCountMax = 20_000

    /// The totals of each name.
    public private(set) var totals: [Name: BranchTotals] = [:]
    /// The totals of all names beyond `nameCountMax`.
    public private(set) var others = BranchTotals()
    /// The totals of everything below the place.
    public private(set) var all = BranchTotals()

    /// Nothing was looked at yet.
    public init() {}

    /// Adds what was found under a name.
    public mutating func add(_ found: BranchTotals, to name: Name) {
        all += found
        if totals[name] != nil || totals.count < Branches.nameCountMax {
            totals[name, default: BranchTotals()] += found
        } else {
            others += found
        }
    }

    /// Adds a row of the store where it lies below a place.
    public mutating func add(_ row: ExchangeRow, below place: PathPlace) {
        guard let name = Branches.name(of: row, below: place) else { return }
        add(BranchTotals(row), to: name)
    }

    /// Where a row lies one step below a place; nil where it does not lie below it.
    package static func name(of row: ExchangeRow, below place: PathPlace) -> Name? {
        let server = ServerName(scheme: row.scheme, host: row.host, port: row.port)
        guard let wanted = place.server else { return .server(server) }
        guard server == wanted else { return nil }
        guard let path = row.path else { return place.folder.isEmpty ? .path(nil) : nil }
        let folder = place.folder.isEmpty ? "/" : place.folder
        let isBelow = path.utf8.starts(with: folder.utf8)
        guard isBelow || place.folder.isEmpty else { return nil }
        let rest = path.utf8.dropFirst(folder.utf8.count)
        guard isBelow, let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
            return .path(path)
        }
        return .folder(String(path[...slash]))
    }

    /// The name of a step that the store tells of.
    package static func name(step: String?, below place: PathPlace) -> Name {
        let folder = place.folder.isEmpty ? "/" : place.folder
        guard let step, step.utf8.last == UInt8(ascii: "/"), step.utf8.first == UInt8(ascii: "/"),
            step.utf8.count > folder.utf8.count
        else { return .path(step) }
        return .folder(step)
    }
}
