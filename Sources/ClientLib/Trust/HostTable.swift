internal import ProxydHTTPModel

/// Values by host. A host gets the value of its own name, or that of the longest `*.` pattern that
/// it is below at any depth, or that of `*`.
struct HostTable<Value: Sendable>: Sendable {
    private let values: [String: Value]

    init(_ values: [String: Value]) {
        // If several keys are spellings of the same host, an arbitrary one is kept.
        self.values = Dictionary(
            values.map { (HostTable.normal($0.key), $0.value) }, uniquingKeysWith: { $1 })
    }

    /// The value for a host, and the entry that it comes from.
    func match(_ host: String) -> (entry: String, value: Value)? {
        guard !values.isEmpty else { return nil }
        let host = HostTable.normal(host)
        if let value = values[host] { return (host, value) }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            let entry = "*.\(rest)"
            if let value = values[entry] { return (entry, value) }
        }
        return values["*"].map { ("*", $0) }
    }

    private static func normal(_ host: String) -> String {
        var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }
}
