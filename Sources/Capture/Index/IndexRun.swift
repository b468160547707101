/// Exchanges that are indexed together, grouped by the values they are found by.
struct IndexRun {
    /// The exchange numbers of each host; the keys are the bytes of the host name.
    private(set) var hosts: [[UInt8]: [Int64]] = [:]
    /// The exchange numbers of each status.
    private(set) var statuses: [Int64: [Int64]] = [:]
    /// The duration of each exchange in nanoseconds, with its number.
    private(set) var durations: [(durationNs: Int64, id: Int64)] = []
    /// Exchanges that have not ended; the run holds nothing else about them.
    private(set) var openIDs: [Int64] = []
    /// Exchanges that have ended.
    private(set) var endedIDs: [Int64] = []

    /// Adds a row of number, host, status, duration and state; the state of an open exchange is 0.
    mutating func add(_ row: SQLiteRow) {
        let id = row.integer(0) ?? 0
        guard row.integer(4) != 0 else { return openIDs.append(id) }
        endedIDs.append(id)
        if let host = row.bytes(1) { hosts[host, default: []].append(id) }
        if let status = row.integer(2) { statuses[status, default: []].append(id) }
        if let duration = row.integer(3) { durations.append((duration, id)) }
    }
}
