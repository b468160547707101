/// Who waits to hear that a server can be asked for another protocol. Confined to its loop.
struct ExtendedConnectWatch {
    private var waiting: [ConnectTarget: [ObjectIdentifier: () -> Void]] = [:]

    /// Has `tell` called once, unless `owner` leaves before.
    mutating func add(
        _ target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        waiting[target, default: [:]][ObjectIdentifier(owner)] = tell
    }

    /// An owner waits no more.
    mutating func remove(_ target: ConnectTarget, for owner: AnyObject) {
        waiting[target]?[ObjectIdentifier(owner)] = nil
        if waiting[target]?.isEmpty == true { waiting[target] = nil }
    }

    /// Those that wait for a server; they wait no more.
    mutating func take(_ target: ConnectTarget) -> [() -> Void] {
        guard !waiting.isEmpty, let all = waiting.removeValue(forKey: target) else { return [] }
        return Array(all.values)
    }
}
