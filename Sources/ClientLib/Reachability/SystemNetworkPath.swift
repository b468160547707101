internal import FoundationEssentials

/// The network path according to the kernel's routing tables: reachable if there is a default route
/// for IPv4 or IPv6. The tables are read each time.
public struct SystemNetworkPath: NetworkPath {
    private static let isUp: UInt32 = 0x1
    private static let isRefusing: UInt32 = 0x200

    private let routes: String
    private let routes6: String

    /// Reads this machine's routing tables.
    public init() { self.init(routes: "/proc/net/route", routes6: "/proc/net/ipv6_route") }

    init(routes: String, routes6: String) {
        self.routes = routes
        self.routes6 = routes6
    }

    /// The current state; unknown if the tables cannot be read.
    public var reachability: NetworkReachability {
        let (lines, lines6) = (Self.lines(of: routes), Self.lines(of: routes6))
        guard lines != nil || lines6 != nil else { return .unknown }
        let isThere =
            (lines ?? []).contains(where: Self.isDefault)
            || (lines6 ?? []).contains(where: Self.isDefault6)
        return isThere ? .reachable : .notReachable
    }

    private static func lines(of path: String) -> [[Substring]]? {
        guard let data = FileManager.default.contents(atPath: path) else {
            return FileManager.default.fileExists(atPath: path) ? [] : nil
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { line in
            line.split { $0 == "\t" || $0 == " " }
        }
    }

    /// `Iface Destination Gateway Flags RefCnt Use Metric Mask …`
    private static func isDefault(_ fields: [Substring]) -> Bool {
        guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" else {
            return false
        }
        return isUsable(flags: fields[3])
    }

    /// `destination length source length hop metric references use flags interface`
    private static func isDefault6(_ fields: [Substring]) -> Bool {
        guard fields.count > 9, fields[0].allSatisfy({ $0 == "0" }), fields[1] == "00",
            fields[9] != "lo"
        else { return false }
        return isUsable(flags: fields[8])
    }

    private static func isUsable(flags: Substring) -> Bool {
        guard let flags = UInt32(flags, radix: 16) else { return false }
        return flags & isUp != 0 && flags & isRefusing == 0
    }
}
