internal import ProxydCLibevent
internal import Glibc

/// Calls getaddrinfo, which resolves names as the whole system does (nsswitch, hosts file, VPN).
/// Blocks.
enum SystemLookup {
    /// Returns the addresses of a name in the system's order, with port 0.
    static func addresses(of host: String) -> Result<[SocketAddress], HostLookupError> {
        // getaddrinfo would stop at a NUL and look up another name.
        guard !host.isEmpty, !host.utf8.contains(0) else { return .failure(.notFound) }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        guard result == 0 else { return .failure(error(result)) }
        defer { freeaddrinfo(list) }
        let found = read(list)
        return found.isEmpty ? .failure(.notFound) : .success(found)
    }

    private static func read(_ list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            let info = entry.pointee
            if let address = info.ai_addr,
                let read = SocketAddress(
                    UnsafeRawPointer(address), byteCount: Int(info.ai_addrlen)),
                !found.contains(read)
            {
                found.append(read)
            }
            next = info.ai_next
        }
        return found
    }

    /// EAI_NODATA, which glibc defines only for GNU programs.
    private static let noData: Int32 = -5

    private static func error(_ result: Int32) -> HostLookupError {
        switch result {
        case EAI_NONAME, noData: .notFound
        case EAI_AGAIN: .temporary
        default: .other(String(cString: gai_strerror(result)))
        }
    }
}
