internal import ProxydCaptureModel
internal import ProxydFilter

/// A part of the tree as a filter.
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
