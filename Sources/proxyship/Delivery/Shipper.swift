internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydCivilTime
internal import ProxydPostgresLink
internal import ProxydSystem
internal import ProxydTerminalText
internal import Glibc

/// Delivers a store to a central one, batch after batch, on one thread.
final class Shipper {
    /// What to deliver, where to and as whom.
    struct Plan {
        var directory: DataDirectory
        var location: PostgresLocation
        var name: String
        var configuration: ShippingConfiguration
        /// Whether to stop when everything has been delivered.
        var endsWhenDone: Bool
        /// Whether a copied store counts as one of its own.
        var takesNewIdentity: Bool
    }

    /// How often the local store is told how far it was delivered, in nanoseconds.
    private static let noteNs: Int64 = 1_000_000_000
    /// How long to wait for changes when everything is delivered, in milliseconds.
    private static let idleMs: Int64 = 250
    /// How long `--once` keeps trying without success, in nanoseconds.
    private static let patienceNs: Int64 = 60_000_000_000
    /// How often old days are dropped, in nanoseconds.
    private static let retentionNs: Int64 = 3_600_000_000_000

    private var plan: Plan
    private let notes: DeliveryNotes
    private let signals: StopSignals
    private var notedAt = Int64.min
    private var noted: DeliveryProgress?
    private var retainedAt = Int64.min
    private var keptFromNs: Int64?
    private var hasToldOfUpgrade = false
    /// The descriptions of messages that have been delivered.
    private var protoFiles: ProtoFileVersion?

    init(_ plan: Plan, _ signals: StopSignals) {
        self.plan = plan
        self.signals = signals
        notes = DeliveryNotes(directory: plan.directory)
    }

    /// Delivers until a signal arrives, or until everything is delivered.
    func run() throws(ShippingError) {
        var backOff = BackOff()
        var succeededAt = SystemClock.monotonicNow()
        while !signals.hasCome {
            do throws(ShippingError) {
                try deliver {
                    backOff.reset()
                    succeededAt = SystemClock.monotonicNow()
                }
                return
            } catch {
                let time = SystemClock.monotonicNow() - succeededAt
                let isHopeless = plan.endsWhenDone && time > Shipper.patienceNs
                guard !error.isFinal, !isHopeless else { throw error }
                if signals.hasCome { break }
                let delay = backOff.next()
                ShippingLog.write("\(error.message); next attempt in \(delay) ms")
                signals.wait(milliseconds: delay)
            }
        }
    }

    /// Delivers over one connection.
    private func deliver(_ succeeded: () -> Void) throws(ShippingError) {
        let connection = try central { () throws(CentralError) in
            let connection = try PostgresConnection(plan.location, program: "proxyship")
            // A server that hangs is noticed, and signals are then handled.
            try connection.execute("SET statement_timeout = '60s'; SET lock_timeout = '30s'")
            try CentralMigrator(connection).migrate()
            return connection
        }
        let reader = try local { () throws(StoreError) in
            try StoreReader(directory: plan.directory)
        }
        let registration = Registration(
            plan: plan, connection: connection, reader: reader, notes: notes)
        let (state, mark) = try registration.register()
        plan.takesNewIdentity = false
        let delivery = try central { () throws(CentralError) in
            let additions = try CentralAdditions(of: connection)
            noteMissing(additions)
            return CentralDelivery(
                connection, try ShipperRegistry(connection).lineage(of: state), additions)
        }
        var maker = BatchMaker(
            reader, filter: plan.configuration.filter, redacts: plan.configuration.redacts,
            isFinal: plan.endsWhenDone)
        var current = state
        while true {
            signals.check()
            try retain(delivery)
            try deliverProtoFiles(reader, delivery)
            let next = try step(delivery, &maker, current)
            succeeded()
            if let next { current = next }
            note(current, mark, isLast: next == nil && (plan.endsWhenDone || signals.hasCome))
            if signals.hasCome {
                guard plan.endsWhenDone, next != nil else { return }
                throw .stopped
            }
            guard next == nil else { continue }
            if plan.endsWhenDone { return }
            signals.wait(milliseconds: Shipper.idleMs)
            guard reader.isCurrent else { throw .local("the store was replaced") }
        }
    }

    /// Delivers the descriptions of messages if they have changed.
    private func deliverProtoFiles(
        _ reader: StoreReader, _ delivery: CentralDelivery
    ) throws(ShippingError) {
        let version = try local { () throws(StoreError) in try reader.protoFileVersion() }
        guard version != protoFiles, version != ProtoFileVersion() || protoFiles != nil else {
            return
        }
        let files = try local { () throws(StoreError) in try reader.protoFiles() }
        try central { () throws(CentralError) in try delivery.deliver(files) }
        protoFiles = version
    }

    /// Delivers one batch; returns the state after it, or nil if there was nothing to deliver.
    private func step(
        _ delivery: CentralDelivery, _ maker: inout BatchMaker, _ state: ShipperState
    ) throws(ShippingError) -> ShipperState? {
        var countMax = Int.max
        while true {
            let found = try local { () throws(StoreError) in
                try maker.next(after: state, keptFromNs: keptFromNs, countMax: countMax)
            }
            guard let batch = found else { return nil }
            do throws(CentralError) {
                let isDelivered = try delivery.deliver(batch, after: state)
                let next = try delivery.state()
                if isDelivered { maker.confirm(next) }
                return next
            } catch {
                switch error.remedy {
                case .again:
                    signals.check()
                    if signals.hasCome { throw .central(error) }
                case .wait, .stop: throw .central(error)
                case .halve:
                    let count = batch.exchanges.count
                    guard count > 1 else { return try reject(batch, error, delivery, state) }
                    countMax = count / 2
                }
            }
        }
    }

    /// Skips an exchange that the server rejects.
    private func reject(
        _ batch: DeliveryBatch, _ error: CentralError, _ delivery: CentralDelivery,
        _ state: ShipperState
    ) throws(ShippingError) -> ShipperState {
        guard let culprit = batch.exchanges.first?.record.id else { throw .central(error) }
        ShippingLog.write("exchange \(culprit) was rejected: \(error.message)")
        return try central { () throws(CentralError) in
            _ = try delivery.reject(culprit, error, batch, after: state)
            return try delivery.state()
        }
    }

    /// Reads how long exchanges are kept, and drops older days, once an hour.
    private func retain(_ delivery: CentralDelivery) throws(ShippingError) {
        let now = SystemClock.monotonicNow()
        guard retainedAt == .min || now - retainedAt > Shipper.retentionNs else { return }
        keptFromNs = try central { () throws(CentralError) in
            try delivery.prepareDays(fromNs: SystemClock.wallNow())
            return try delivery.keptFromNs()
        }
        retainedAt = now
        guard let from = keptFromNs else { return }
        do throws(CentralError) {
            try delivery.dropDays(beforeNs: from)
        } catch {
            // They are being read; the next hour is soon enough.
            guard error.remedy == .wait, case .server = error else { throw .central(error) }
            ShippingLog.write("old days are not dropped yet: \(error.message)")
        }
    }

    /// Reports once that the store lacks columns, which are left out.
    private func noteMissing(_ additions: CentralAdditions) {
        guard additions.count < CentralAdditions.all.count, !hasToldOfUpgrade else { return }
        hasToldOfUpgrade = true
        ShippingLog.write(
            "the central store lacks columns of this version, which are not delivered; "
                + "its owner can add them with proxyship upgrade")
    }

    /// Records in the local store how far it was delivered, once a second.
    private func note(_ state: ShipperState, _ mark: Int64, isLast: Bool) {
        let now = SystemClock.monotonicNow()
        let progress = DeliveryProgress(
            through: state.throughID, mark: mark, changesThrough: state.changeSequence)
        guard progress != noted, isLast || notedAt == .min || now - notedAt > Shipper.noteNs
        else { return }
        notedAt = now
        do throws(ShippingError) {
            try notes.note(progress)
            noted = progress
        } catch {
            // Retention waits a little longer; delivery goes on.
            ShippingLog.write("\(error.message); delivery is not noted")
        }
    }
}

func central<Value>(_ body: () throws(CentralError) -> Value) throws(ShippingError) -> Value {
    do throws(CentralError) { return try body() } catch { throw .central(error) }
}

func local<Value>(_ body: () throws(StoreError) -> Value) throws(ShippingError) -> Value {
    do throws(StoreError) { return try body() } catch { throw ShippingError(error) }
}

/// The delay before the next attempt: 50 ms at first, doubled after each failure, a minute at most,
/// and randomly between half and all of that, so that a fleet does not return at the same moment.
struct BackOff {
    private static let firstMs: Int64 = 50
    private static let maxMs: Int64 = 60_000

    private var nextMs = BackOff.firstMs

    /// The next delay in milliseconds.
    mutating func next() -> Int64 {
        let delay = Int64.random(in: (nextMs / 2)...nextMs)
        nextMs = min(BackOff.maxMs, nextMs * 2)
        return delay
    }

    /// Starts again after a success.
    mutating func reset() { nextMs = BackOff.firstMs }
}

/// Blocked SIGTERM and SIGINT, taken only while waiting: they end the program after a batch.
final class StopSignals {
    private var signals = sigset_t()
    private(set) var hasCome = false

    /// Blocks the signals; call it before any thread starts.
    init() {
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits; returns early if a signal arrives or has arrived.
    func wait(milliseconds: Int64) {
        guard !hasCome else { return }
        var time = timespec(
            tv_sec: Int(milliseconds / 1_000),
            tv_nsec: Int(Nanoseconds.clamping(milliseconds: milliseconds % 1_000)))
        if sigtimedwait(&signals, nil, &time) > 0 { hasCome = true }
    }

    /// Handles a signal that has arrived, without waiting.
    func check() { wait(milliseconds: 0) }
}

/// Why delivery cannot continue, for now or at all.
enum ShippingError: Error {
    case central(CentralError)
    /// A signal came before everything was delivered.
    case stopped
    /// The local store or its daemon.
    case local(String)

    init(_ error: StoreError) { self = .local(error.description) }

    /// Whether only people can resolve it.
    var isFinal: Bool {
        switch self {
        case .central(let error): error.remedy == .stop
        case .stopped: true
        case .local: false
        }
    }

    var message: String {
        switch self {
        case .central(let error): "central store: \(error.message)"
        case .local(let message): message
        case .stopped: "stopped before everything was delivered"
        }
    }
}

/// Messages on standard error, one per line; the journal adds the time.
enum ShippingLog {
    static func write(_ message: String) {
        let line = "proxyship: \(TerminalText.sanitize(message))\n"
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
