internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The URLs of requests whose heads are known.
enum RawURLs {
    /// The URL of a request.
    /// - Parameters:
    ///   - scheme: That of a request that does not name it.
    ///   - address: The server, if the request does not name it.
    static func url(
        _ head: RequestHead, scheme: String = "http", address: (host: String, port: UInt16)? = nil
    ) throws(ImportProblem) -> RawURL {
        switch try? EffectiveTarget.resolve(head, via: .proxy) {
        case .forward(let url)?: return url
        case .tunnel(let host, let port)?: return .tunnel(host: host, port: port)
        case .proxyItself?: break
        // It may lack a valid Host, but the address is known.
        case nil:
            guard address != nil, head.target.first == UInt8(ascii: "/") else {
                throw ImportProblem("its request names no server")
            }
        }
        // In origin-form, as to a server.
        let named = head.fields["Host"].flatMap {
            try? ImportURL.parse("\(scheme)://\($0)", method: .get)
        }
        guard let host = named?.host ?? address?.host,
            let port = address?.port ?? named?.port
        else { throw ImportProblem("its request names no server") }
        return RawURL(scheme: scheme, host: host, port: port, origin: Array(head.target))
    }
}
