internal import ProxydCaptureModel

extension TreeLine {
    /// The host that the line belongs to.
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
        case .folder(let folder):
            "path~" + FilterText.quoted("^" + FilterText.escaped(folder))
        case .path(let path): path.map { "path=" + FilterText.quoted($0) } ?? "not path~."
        }
    }
}
