internal import Glibc

/// Tells this machine from another one that has a copy of its disk.
enum MachineIdentity {
    /// The identifier of the installation (machine-id(5)), or else the host's name.
    static func fingerprint() -> String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            if let line = firstLine(of: path), !line.isEmpty { return "machine:\(line)" }
        }
        return "host:\(hostName() ?? "unknown")"
    }

    /// The host's name up to its first dot, as a name for its store.
    static func hostName() -> String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        return storeName(name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
    }

    /// The name of a host up to its first dot, with a hyphen for each byte that a store's name may
    /// not have.
    static func storeName(_ host: [UInt8]) -> String? {
        let first = host.split(separator: UInt8(ascii: ".")).first ?? []
        let name = first.prefix(ShippingConfiguration.nameByteCountMax).map { byte in
            let letter = String(decoding: [byte], as: UTF8.self)
            return ShippingConfiguration.isName(letter) ? letter : "-"
        }
        return name.isEmpty ? nil : name.joined()
    }

    private static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(
            decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(text.prefix { !$0.isWhitespace })
    }
}
