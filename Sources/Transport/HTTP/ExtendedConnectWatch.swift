/// Callbacks that wait until a server is known to support extended CONNECT. Confined to its loop.
struct ExtendedConnectWatch {
    private var waiting: [ConnectTarget: [ObjectIdentifier: () -> Void]] = [:]

    /// Calls `tell` once, unless `owner` is removed first.
    mutating func add(
        _ target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        waiting[target, default: [:]][ObjectIdentifier(owner)] = tell
    }

    /// Removes the callback of an owner.
    mutating func remove(_ target: ConnectTarget, for owner: AnyObject) {
        waiting[target]?[ObjectIdentifier(owner)] = nil
        if waiting[target]?.isEmpty == true { waiting[target] = nil }
    }

    /// Removes and returns all callbacks for a server.
    mutating func take(_ target: ConnectTarget) -> [() -> Void] {
        guard !waiting.isEmpty, let all = waiting.removeValue(forKey: target) else { return [] }
        return Array(all.values)
    }
}
