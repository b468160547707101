public import Dispatch
internal import FoundationEssentials
internal import Synchronization

/// Whether this machine has a network route to other machines.
public enum NetworkReachability: Sendable, Hashable {
    case unknown
    /// There is no route: this machine is offline.
    case notReachable
    /// There is a route; this does not say whether a particular server can be reached.
    case reachable
}

/// Reports whether there is a route to the network. Tests replace it with their own implementation.
public protocol NetworkPath: Sendable {
    var reachability: NetworkReachability { get }
}

/// Reports when this machine gains or loses a route to the network. Keep a reference to it while
/// you listen.
///
/// It reads the kernel's routing tables four times a second.
public final class NetworkReachabilityManager: Sendable {
    /// Alamofire's name for the reachability.
    public typealias NetworkReachabilityStatus = NetworkReachability

    private let path: any NetworkPath
    private let interval: Duration
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// Creates a manager for this machine. It takes no host: only a request can tell whether a host
    /// answers.
    public convenience init() { self.init(path: SystemNetworkPath()) }

    public init(path: any NetworkPath, interval: Duration = .milliseconds(250)) {
        self.path = path
        self.interval = interval
    }

    deinit { stopListening() }

    public var status: NetworkReachabilityStatus { path.reachability }
    public var isReachable: Bool { status == .reachable }

    /// Calls `listener` on `queue` with the current status and after each change. Replaces an
    /// earlier listener.
    @discardableResult
    public func startListening(
        onQueue queue: DispatchQueue = .main,
        onUpdatePerforming listener: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) -> Bool {
        let task = Task { [path, interval] in
            var last: NetworkReachabilityStatus?
            while !Task.isCancelled {
                let status = path.reachability
                if status != last { queue.async { listener(status) } }
                last = status
                try? await Task.sleep(for: interval)
            }
        }
        replace(with: task)
        return true
    }

    public func stopListening() { replace(with: nil) }

    private func replace(with task: Task<Void, Never>?) {
        let before = listening.withLock { listening in
            defer { listening = task }
            return listening
        }
        before?.cancel()
    }
}

/// The network path according to the kernel's routing tables: reachable if there is a default route
/// for IPv4 or IPv6. The tables are read each time.
public struct SystemNetworkPath: NetworkPath {
    private static let isUp: UInt32 = 0x1
    private static let isRefusing: UInt32 = 0x200

    private let routes: String
    private let routes6: String

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
