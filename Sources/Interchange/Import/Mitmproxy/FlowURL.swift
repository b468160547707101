internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The URL of a flow's request.
enum FlowURL {
    /// The URL by the server that was asked. If that is known by its address only, as on a
    /// transparent listener, the name is the one in Host.
    static func url(
        method: HTTPMethod, scheme: String, host: String, port: UInt16,
        path: ArraySlice<UInt8>, named: String
    ) throws(ImportProblem) -> RawURL {
        if method == .connect { return .tunnel(host: host, port: port) }
        let scheme = scheme.isEmpty ? "http" : scheme
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let isAddress = InternetAddress(host) != nil
        let text = "\(scheme)://\(bracketed):\(port)"
        let byHost = try ImportURL.parse(text, method: .get)
        let byName =
            isAddress && !named.isEmpty
            ? try? ImportURL.parse("\(scheme)://\(named)", method: .get) : nil
        let path = Array(path)
        let origin = path.isEmpty ? [UInt8(ascii: "/")] : path
        guard FieldValidator.isRequestTarget(origin.span) else {
            throw ImportProblem("its path cannot be sent")
        }
        return RawURL(
            scheme: byHost.scheme, host: byName?.host ?? byHost.host, port: port, origin: origin)
    }
}
