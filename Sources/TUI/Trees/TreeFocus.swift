internal import ProxydCaptureModel
internal import ProxydFilter

/// A part of the tree as a filter.
enum TreeFocus {
    /// The filter for a line in addition to another one.
    /// - Parameter isOnlyOfHost: Whether no other server has the same host.
    static func text(_ line: TreeLine, in filter: Filter, isOnlyOfHost: Bool) -> String? {
        guard case .branch(let name, let parent) = line.kind else { return nil }
        let server: ServerName?
        if case .server(let own) = name { server = own } else { server = parent.server }
        guard let server else { return nil }
        var terms = serverTerms(server, isOnlyOfHost: isOnlyOfHost)
        switch name {
        case .server: break
        case .folder(let folder):
            terms.append("path~" + FilterText.quoted("^" + FilterText.escaped(folder)))
        case .path(let path?): terms.append("path=" + FilterText.quoted(path))
        case .path(nil): terms.append("not path~.")
        }
        return FilterText.narrowed(filter, by: terms)
    }

    private static func serverTerms(_ server: ServerName, isOnlyOfHost: Bool) -> [String] {
        guard let host = server.host else { return ["not host~."] }
        var terms = ["host=" + FilterText.quoted(host)]
        guard !isOnlyOfHost else { return terms }
        terms.append(server.scheme.map { "scheme=" + FilterText.quoted($0) } ?? "not scheme~.")
        terms.append(server.port.map { "port=\($0)" } ?? "not port>=0")
        return terms
    }
}
