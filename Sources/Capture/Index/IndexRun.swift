/// Exchanges that are indexed together, by what they will be found by.
struct IndexRun {
    /// The numbers of the exchanges of each host, as octets.
    private(set) var hosts: [[UInt8]: [Int64]] = [:]
    /// The numbers of the exchanges with each status.
    private(set) var statuses: [Int64: [Int64]] = [:]
    /// How long each took, in nanoseconds, with its number.
    private(set) var durations: [(durationNs: Int64, id: Int64)] = []
    /// Those that have not ended; nothing else is known of them here.
    private(set) var openIDs: [Int64] = []
    /// Those that have.
    private(set) var endedIDs: [Int64] = []

    /// Takes a row of number, host, status, duration and state, zero for one that is open.
    mutating func add(_ row: SQLiteRow) {
        let id = row.integer(0) ?? 0
        guard row.integer(4) != 0 else { return openIDs.append(id) }
        endedIDs.append(id)
        if let host = row.octets(1) { hosts[host, default: []].append(id) }
        if let status = row.integer(2) { statuses[status, default: []].append(id) }
        if let duration = row.integer(3) { durations.append((duration, id)) }
    }
}
