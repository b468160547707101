/// A place in the tree of requested URLs: all servers, one server, or a folder of one.
public struct PathPlace: Sendable, Hashable {
    /// The server, or nil for all servers.
    public let server: ServerName?
    /// The folder including its last slash; empty for the whole server.
    public let folder: String

    /// Creates a place; without a server the folder has no meaning.
    public init(server: ServerName? = nil, folder: String = "") {
        self.server = server
        self.folder = server == nil ? "" : folder
    }

    /// The place that contains all servers.
    public static let everything = PathPlace()
}

/// A server as requests name it.
public struct ServerName: Sendable, Hashable {
    /// `http` or `https`; nil if the request's URL could not be parsed.
    public let scheme: String?
    /// The host as sent, without brackets.
    public let host: String?
    /// The port, explicit or the default of the scheme.
    public let port: Int?

    /// Creates a server name.
    public init(scheme: String?, host: String?, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
