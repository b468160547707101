internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydControl
internal import ProxydFilter
internal import ProxydHTTPModel
internal import Glibc
internal import Synchronization

/// Where exchanges are read from: a data directory, or a central store. What is sent and recorded
/// meanwhile goes to the data directory either way.
struct StoreLocation: Sendable {
    let directory: DataDirectory
    /// The central store that `--store` names, or nil. All parts of the program share it.
    let central: CentralReader?

    /// - Parameter asksDaemon: Whether a running daemon first commits what has ended.
    func reader(asksDaemon: Bool = true) throws -> any ExchangeReading {
        guard let central else { return try StoreOpener.reader(directory, asksDaemon: asksDaemon) }
        return central
    }

    /// Lets a running daemon commit what has ended, for an interface that keeps the store open.
    func commitEnded() {
        if central == nil { DaemonFlush.commitEnded(directory) }
    }

    /// SQLite's result codes for a file that is not a database, or a damaged one.
    private static let damage: Set<Int32> = [11, 26]

    /// Opens the store for an interface, which explains the store's own errors itself.
    func interfaceReader() throws -> any ExchangeReading {
        if let central { return central }
        do throws(StoreError) {
            return try StoreReader(directory: directory)
        } catch {
            // SQLite's messages do not name the file.
            guard case .sqlite(let code, _) = error, StoreLocation.damage.contains(code & 0xFF)
            else { throw error }
            throw StoreError.directory(
                path: directory.storePath,
                problem: "\(error): move the file away, or use --data-dir")
        }
    }

    /// Opens the store for statements that users write.
    func sqlReader() throws -> any SQLReading {
        guard let central else { return try StoreOpener.reader(directory) }
        return central
    }

    /// Follows what is new in the store, from now on.
    func follower(_ filter: Filter) throws -> any ExchangeFollowing {
        if let central { return try CentralFollower(central, filter) }
        let reader = try reader(asksDaemon: false)
        return try ExchangeFollower(reader, filter)
    }

    /// Distinguishes the store from one that replaces it; nil if there is none.
    var identity: UInt64? { central == nil ? StoreOpener.identity(directory) : 1 }

    /// Waits for changes of the store.
    func watch() -> any StoreWatching {
        guard let central else { return ChangeWatch(directory) }
        return CentralWatch(central)
    }

    /// Waits for changes on behalf of an interface, from any thread.
    func newsWatch() -> any StoreNewsWatching {
        guard let central else { return StoreNewsWatch(directory) }
        return CentralWatch(central)
    }
}

/// Finds what is new in a store.
protocol ExchangeFollowing {
    /// Returns matching rows that are new or have ended since the last call.
    mutating func news() throws(StoreError) -> [ExchangeRow]
}

extension CentralFollower: ExchangeFollowing {}

/// Waits for changes of a store.
protocol StoreWatching {
    /// Returns after a change, or after a moment.
    @discardableResult
    func wait() -> Bool
}

/// Waits for changes of a store, from any thread.
protocol StoreNewsWatching: Sendable {
    /// Waits a moment; returns whether there may be changes.
    func wait() -> Bool
}

/// Opens the store of a data directory for reading, with errors that help users.
enum StoreOpener {
    /// - Parameter asksDaemon: Whether a running daemon first commits what has ended: not for
    ///   readers that follow what is recorded.
    static func reader(_ directory: DataDirectory, asksDaemon: Bool = true) throws -> StoreReader {
        OwnerIdentity.assume(of: directory.path)
        if asksDaemon { DaemonFlush.commitEnded(directory) }
        do throws(StoreError) {
            return try StoreReader(directory: directory)
        } catch {
            switch error {
            case .missing:
                throw CommandFailure(error.description, nextStep: NextStep.withoutStore(directory))
            case .sqlite:
                // SQLite's messages do not name the file.
                throw CommandFailure(
                    "\(directory.storePath): \(error.description)",
                    nextStep: NextStep.withUnusableStore(directory))
            case .directory, .foreignFile:
                throw CommandFailure(
                    error.description, nextStep: NextStep.withUnusableStore(directory))
            default: throw CommandFailure(error.description)
            }
        }
    }

    /// The inode of the store's file, unique while this one is open; nil if there is no file.
    static func identity(_ directory: DataDirectory) -> UInt64? {
        var facts = stat()
        return stat(directory.storePath, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }
}

/// Makes a root process take the identity of the store's owner before it accesses the store.
///
/// Otherwise a daemon running as another user could not open files that root creates in the data
/// directory (a write-ahead log, a lock). So root drops its privileges for the rest of the command.
enum OwnerIdentity {
    static func assume(of path: String) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_uid != 0 else { return }
        // The group first: without root's privileges it could no longer be changed.
        guard setegid(facts.st_gid) == 0 else { return }
        _ = seteuid(facts.st_uid)
    }
}

/// Finds changes in a store since the last call: exchanges that started, and exchanges that ended.
struct ExchangeFollower: ExchangeFollowing {
    private let reader: any ExchangeReading
    private let filter: Filter
    /// The highest number seen.
    private var last: Int64
    /// The last known states of exchanges that may still change, and of the newest ones.
    private var seen: [Int64: ExchangeState] = [:]

    /// How many numbers below the highest are read again: numbers are taken when exchanges start,
    /// and exchanges may reach the store in another order.
    private static let windowCount: Int64 = 256
    /// The number of newest rows searched for active exchanges at the start.
    private static let initialCount = 2_000

    /// Follows from now on; everything in the store already counts as seen.
    init(_ reader: any ExchangeReading, _ filter: Filter) throws(StoreError) {
        self.reader = reader
        self.filter = filter
        // Numbers start at 1; lower ones are damage.
        last = max(0, try reader.lastExchangeID()?.rawValue ?? 0)
        for row in try reader.rows(.newest, limit: ExchangeFollower.initialCount) {
            seen[row.id.rawValue] = row.state
        }
        forgetOld()
    }

    /// Returns matching rows that are new or have ended since the last call, ordered by number. An
    /// active exchange is returned twice: when it is first seen and when it ends.
    mutating func news() throws(StoreError) -> [ExchangeRow] {
        let lowest = last - ExchangeFollower.windowCount
        var rows = try changedRows(below: lowest)
        let start = PageDirection.after(ExchangeID(rawValue: max(0, lowest)))
        try reader.forEachRow(matching: .everything, start) { row in
            if seen[row.id.rawValue] != row.state { rows.append(row) }
            return true
        }
        for row in rows {
            seen[row.id.rawValue] = row.state
            last = max(last, row.id.rawValue)
        }
        forgetOld()
        return try matching(rows, lowest: lowest)
    }

    /// Older exchanges that were active and are not anymore.
    private mutating func changedRows(below id: Int64) throws(StoreError) -> [ExchangeRow] {
        let old = seen.filter { $0.key <= id && $0.value == .active }.keys.sorted()
        guard !old.isEmpty else { return [] }
        let rows = try reader.rows(old.map(ExchangeID.init(rawValue:)))
        let present = Set(rows.map(\.id.rawValue))
        for id in old where !present.contains(id) { seen[id] = nil }
        return rows.filter { $0.state != .active }
    }

    /// Forgets exchanges for which the number alone is enough.
    private mutating func forgetOld() {
        let lowest = last - ExchangeFollower.windowCount
        seen = seen.filter { $0.key > lowest || $0.value == .active }
    }

    private func matching(
        _ rows: [ExchangeRow], lowest: Int64
    ) throws(StoreError) -> [ExchangeRow] {
        guard !filter.text.isEmpty, let newest = rows.map(\.id).max() else { return rows }
        var ids = Set<ExchangeID>()
        for row in rows where row.id.rawValue <= lowest {
            if try doesMatch(row) { ids.insert(row.id) }
        }
        try reader.forEachRow(matching: filter, .after(ExchangeID(rawValue: max(0, lowest)))) {
            ids.insert($0.id)
            return $0.id < newest
        }
        return rows.filter { ids.contains($0.id) }
    }

    /// Whether one exchange, possibly an old one, matches.
    private func doesMatch(_ row: ExchangeRow) throws(StoreError) -> Bool {
        let text = "(\(filter.text)) and id=\(row.idText)"
        guard let single = try? Filter.parse(text) else { return false }
        let before = ExchangeID(rawValue: row.id.rawValue &- 1)
        return try !reader.rows(matching: single, .after(before), limit: 1).isEmpty
    }
}

/// Waits for changes of a store: by the daemon's subscription, or by polling while none is running.
final class ChangeWatch: StoreWatching {
    private let directory: DataDirectory
    private var client: ControlClient?
    private var waitsUntilRetry = 0

    /// The maximum duration of one wait in nanoseconds: changes must be seen within 200 ms.
    static let waitNs: Int64 = 100_000_000
    /// The number of waits between two attempts to find a daemon.
    private static let retryWaitCount = 10

    init(_ directory: DataDirectory) { self.directory = directory }

    /// Whether changes are reported by subscription.
    var isSubscribed: Bool { client != nil }

    /// Returns after a change or after `waitNs`; the result says whether there may be changes,
    /// which only a subscription can rule out.
    @discardableResult
    func wait() -> Bool {
        if client == nil { subscribe() }
        guard let client else {
            usleep(UInt32(ChangeWatch.waitNs / 1_000))
            return true
        }
        do throws(ControlError) {
            guard try client.nextEvent(timeoutNs: ChangeWatch.waitNs) != nil else { return false }
            // A single read of the store covers all changes up to now.
            while try client.nextEvent(timeoutNs: 0) != nil {}
        } catch {
            // The daemon ended, or dropped this client because its output was read too slowly.
            // Changes made in the meantime are found in the store.
            self.client = nil
        }
        return true
    }

    private func subscribe() {
        guard waitsUntilRetry == 0 else {
            waitsUntilRetry -= 1
            return
        }
        waitsUntilRetry = ChangeWatch.retryWaitCount
        guard let candidate = try? ControlClient(dataDirectory: directory.path),
            (try? candidate.subscribe()) != nil
        else { return }
        client = candidate
    }
}

/// Watches a store for the interface, whose watcher thread is the only one that waits.
final class StoreNewsWatch: StoreNewsWatching {
    private struct State {
        let watch: ChangeWatch
        /// Polled for changes while no daemon reports them.
        var reader: StoreReader?
        var changeNumber: Int64?
    }

    private let directory: DataDirectory
    private let state: Mutex<State>

    init(_ directory: DataDirectory) {
        self.directory = directory
        state = Mutex(State(watch: ChangeWatch(directory)))
    }

    /// Waits at most a tenth of a second; returns whether there may be changes.
    func wait() -> Bool {
        state.withLock { state in
            guard state.watch.wait() else { return false }
            return state.watch.isSubscribed || hasChanged(&state)
        }
    }

    /// Whether the store was replaced since the last check, or exists for the first time.
    private func hasChanged(_ state: inout State) -> Bool {
        let former = state.changeNumber
        do {
            let reader = try state.reader ?? StoreReader(directory: directory)
            state.reader = reader
            state.changeNumber = try reader.changeNumber()
        } catch {
            state.reader = nil
            state.changeNumber = nil
        }
        return state.changeNumber != former
    }
}
