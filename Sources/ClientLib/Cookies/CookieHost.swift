internal import Glibc
internal import ProxydHTTPModel

/// Compares host names by the rules for cookies.
enum CookieHost {
    /// The host in lower case; percent-encoding and international names are left unchanged.
    static func canonical(_ host: String) -> String {
        String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
    }

    /// Whether a canonical host is a domain or a name below it; there are no names below addresses
    /// (RFC 6265bis §5.1.3).
    static func matches(_ host: String, domain: String) -> Bool {
        host == domain
            || host.hasSuffix(domain) && host.dropLast(domain.count).hasSuffix(".")
                && !isAddress(host)
    }

    /// Whether a host is an IPv4 or IPv6 address.
    static func isAddress(_ host: String) -> Bool {
        guard !host.utf8.contains(UInt8(ascii: ":")) else { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1
    }

    /// The host and every domain above it, longest first; only the host itself if it is an address.
    static func domains(of host: String) -> [String] {
        guard !isAddress(host) else { return [host] }
        var domains = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }
}
