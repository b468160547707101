internal import ProxydHTTPModel

/// The entries one level below a place in the tree of servers and paths.
public struct Branches: Sendable, Hashable {
    public enum Name: Sendable, Hashable {
        case server(ServerName)
        /// A folder from the root on, including its last slash, such as `/api/v1/`.
        case folder(String)
        /// A complete path, or nil for an exchange without one.
        case path(String?)
    }

    /// The maximum number of different names. Names that turn up later are totaled together: the
    /// totals of a listed name are exact, whatever the store contains.
    public static let nameCountMax = 20_000

    public private(set) var totals: [Name: BranchTotals] = [:]
    /// The totals of all names beyond `nameCountMax`.
    public private(set) var others = BranchTotals()
    public private(set) var all = BranchTotals()

    public init() {}

    public mutating func add(_ found: BranchTotals, to name: Name) {
        all += found
        if totals[name] != nil || totals.count < Branches.nameCountMax {
            totals[name, default: BranchTotals()] += found
        } else {
            others += found
        }
    }

    /// Adds a row of the store if it is below a place.
    public mutating func add(_ row: ExchangeRow, below parent: TreePath) {
        guard let name = Branches.name(of: row, below: parent) else { return }
        add(BranchTotals(row), to: name)
    }

    /// The entry that a row belongs to, one level below a place; nil if the row is not below it.
    package static func name(of row: ExchangeRow, below parent: TreePath) -> Name? {
        let server = ServerName(scheme: row.scheme, host: row.host, port: row.port)
        guard let wanted = parent.server else { return .server(server) }
        guard server == wanted else { return nil }
        guard let path = row.path else { return parent.folder.isEmpty ? .path(nil) : nil }
        let folder = parent.folder.isEmpty ? "/" : parent.folder
        let isBelow = path.utf8.starts(with: folder.utf8)
        guard isBelow || parent.folder.isEmpty else { return nil }
        let rest = path.utf8.dropFirst(folder.utf8.count)
        guard isBelow, let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
            return .path(path)
        }
        return .folder(String(path[...slash]))
    }

    /// The entry for a path segment that a query of the store returned.
    package static func name(step: String?, below parent: TreePath) -> Name {
        let folder = parent.folder.isEmpty ? "/" : parent.folder
        guard let step, step.utf8.last == UInt8(ascii: "/"), step.utf8.first == UInt8(ascii: "/"),
            step.utf8.count > folder.utf8.count
        else { return .path(step) }
        return .folder(step)
    }
}

/// Totals of the exchanges below a place in the tree of servers and paths.
public struct BranchTotals: Sendable, Hashable {
    public var count: Int64 = 0
    /// The number of exchanges that failed or had a status of 400 or higher.
    public var errorCount: Int64 = 0
    /// The size of request and response bodies in bytes.
    public var byteCount: Int64 = 0
    /// The start time of the newest exchange, in nanoseconds since 1970.
    public var lastStartedAtNs: Int64 = 0

    public init() {}

    public init(_ row: ExchangeRow) {
        count = 1
        errorCount = row.state == .failed || (row.status ?? 0) >= 400 ? 1 : 0
        byteCount = row.requestBodyByteCount.addingClamped(row.responseBodyByteCount)
        lastStartedAtNs = row.startedAtNs
    }

    public static func += (left: inout BranchTotals, right: BranchTotals) {
        left.count &+= right.count
        left.errorCount &+= right.errorCount
        left.byteCount = left.byteCount.addingClamped(right.byteCount)
        left.lastStartedAtNs = max(left.lastStartedAtNs, right.lastStartedAtNs)
    }
}

/// A place in the tree of requested URLs: all servers, one server, or a folder of one.
public struct TreePath: Sendable, Hashable {
    /// Nil for all servers.
    public let server: ServerName?
    /// The folder including its last slash; empty for the whole server.
    public let folder: String

    /// Without a server the folder has no meaning.
    public init(server: ServerName? = nil, folder: String = "") {
        self.server = server
        self.folder = server == nil ? "" : folder
    }

    public static let everything = TreePath()
}

/// A server as requests name it.
public struct ServerName: Sendable, Hashable {
    /// `http` or `https`; nil if the request's URL could not be parsed.
    public let scheme: String?
    /// The host as sent, without brackets.
    public let host: String?
    /// The port, explicit or the default of the scheme.
    public let port: Int?

    public init(scheme: String?, host: String?, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
