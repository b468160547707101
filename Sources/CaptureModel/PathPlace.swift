/// A place in the tree of what was asked for: all servers, one server, or a folder of one.
public struct PathPlace: Sendable, Hashable {
    /// The server; nil for all of them.
    public let server: ServerName?
    /// The folder with its last slash; empty for all of the server.
    public let folder: String

    /// A place; without a server the folder means nothing.
    public init(server: ServerName? = nil, folder: String = "") {
        self.server = server
        self.folder = server == nil ? "" : folder
    }

    /// All servers.
    public static let everything = PathPlace()
}

/// A server as requests name it.
public struct ServerName: Sendable, Hashable {
    /// `http` or `https`; nil where no URL could be read.
    public let scheme: String?
    /// The host as sent, without brackets.
    public let host: String?
    /// The port, explicit or the scheme's.
    public let port: Int?

    /// A server.
    public init(scheme: String?, host: String?, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
